"""What all stored records share: strict, frozen, nothing unknown, a schema version in each."""

from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from edgekernelbench.base.errors import RecordError


def storable(text: str) -> str:
    """Make a text from outside storable: half surrogates, which JSON cannot carry, become `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Record(BaseModel):
    """One line, or one file, of a run folder."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True
    )

    def line(self) -> str:
        """Write the record as one line of JSON, without a line break."""
        return self.model_dump_json(by_alias=True)

    @classmethod
    def read(cls, text: str, where: str) -> Self:
        """Read a record back.

        Args:
            text: One JSON object.
            where: File and line, for the message.

        Raises:
            RecordError: When the text is no such record.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the record"
            raise RecordError(f"{where}: {place}: {first['msg'].lower()}") from None
