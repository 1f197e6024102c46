"""`reference/records.md`: the fields of everything that a run folder holds, and their JSON schemas."""

import ast
import dataclasses
import html
import inspect
import json
import re
import textwrap
from itertools import pairwise

from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment, PriceSetting
from edgekernelbench.records.attempt import Attempt, Usage
from edgekernelbench.records.judgement import CostRecord, InputSet, Judgement, Margin
from edgekernelbench.records.manifest import DeviceFacts, Manifest
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Ring, Series, Unjudged, Wrong
from edgekernelbench.records.reference import ReferenceRecord
from edgekernelbench.records.release import ReferenceFacts, ReleaseRecord
from edgekernelbench.records.schema import Record
from edgekernelbench.records.trajectory import (
    AtifAgent,
    BudgetRecord,
    ChatCall,
    End,
    EndExtra,
    FinalMetrics,
    FindingRecord,
    Head,
    HeadExtra,
    LeftRecord,
    MessageRecord,
    PlanRecord,
    ReportRecord,
    Said,
    Step,
    StepExtra,
    TextCall,
)
from edgekernelbench.records.tuned import BesideRecord, PartRecord, TunedRecord
from edgekernelbench.reports.attempt_rows import COLUMNS

HEAD = """\
# Records

<!-- Made by tests/docs/test_generated.py from the record types: run `make golden` after a change. -->

A run is a folder.

```text
RUN/
├── manifest.json      everything needed to repeat the run
├── attempts.jsonl     one line an attempt, written when it ends
├── judgements.jsonl   one line a judgement
├── trajectories/…     what each agent did, a file an attempt
├── artifacts/ab/ab…   texts, prompts, replies, by SHA-256
└── lock               held while a process writes
```

Lines are appended and never changed.
Each ends with a field `seal` of 64 hexadecimal digits, which programs may pass over.
The first 32 are of the SHA-256 of the line without it, the others of the SHA-256 of the seal before, a space
and those 32. The first line follows the SHA-256 of the file's name, a space and the manifest's `digest`.
`ekb reproduce RUN --records-only` checks all of it.
Runs of older releases (`manifest/1`) have no seals and stay readable; lines added to them are sealed.
A line counts once its line break is on the disk: a killed process loses what it was making, nothing else.
Every record names its schema and version; unknown fields are refused.
Durations are whole nanoseconds.
"""

ROWS = """
## One row an attempt

`ekb report RUN --csv` prints these columns, a row for each planned attempt, judged or not.
A name that a spreadsheet would take for a formula (`=`, `+`, `-` or `@` at its start) has an apostrophe
before it.
What is not known, or cannot be, is empty.

| column | what it says |
|---|---|
"""

FILES: tuple[tuple[str, type[Record], tuple[type, ...]], ...] = (
    ("manifest.json", Manifest, (DeviceFacts, Experiment, AgentSetting, BudgetSetting, PriceSetting)),
    ("attempts.jsonl", Attempt, (Usage,)),
    (
        "judgements.jsonl",
        Judgement,
        (
            Rejected,
            Crashed,
            Wrong,
            Correct,
            Ring,
            Series,
            Unjudged,
            Margin,
            InputSet,
            CostRecord,
            ReferenceRecord,
        ),
    ),
    ("the first line of a trajectory", Head, (AtifAgent, HeadExtra, LeftRecord)),
    (
        "a step of a trajectory",
        Step,
        (
            StepExtra,
            PlanRecord,
            ReportRecord,
            FindingRecord,
            BudgetRecord,
            ChatCall,
            MessageRecord,
            TextCall,
            Said,
        ),
    ),
    ("the last line of a trajectory", End, (FinalMetrics, EndExtra)),
    ("baselines/PROFILE.jsonl", TunedRecord, (PartRecord, BesideRecord)),
    ("release.json", ReleaseRecord, (ReferenceFacts,)),
)


def records_page() -> str:
    """Write the page."""
    parts = [HEAD]
    for file, root, inner in FILES:
        parts.append(f"\n## {file}\n\n{_first_line(root)}\n\n{_table(root)}")
        parts += [f"\n### {cls.__name__}\n\n{_first_line(cls)}\n\n{_table(cls)}" for cls in inner]
        schema = json.dumps(root.model_json_schema(by_alias=True), indent=1, ensure_ascii=False)
        body = textwrap.indent(f"```json\n{schema}\n```", "    ")
        parts.append(f'\n??? note "JSON schema of a record of {file}"\n{body}\n')
    return "".join([*parts, ROWS, *(f"| `{name}` | {column.about} |\n" for name, column in COLUMNS.items())])


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")


def _table(cls: type) -> str:
    said = _attribute_docs(cls) if issubclass(cls, Record) else _google_docs(cls)
    rows = []
    for name, (annotation, default) in _fields(cls).items():
        about = said.get(name, "which outcome it is" if name == "kind" else "name and version of the schema")
        left = f"{annotation} = {default}" if default else annotation
        rows.append(f"| `{name}` | {_code(left)} | {about.replace('|', '&#124;')} |\n")
    return "| field | type | meaning |\n|---|---|---|\n" + "".join(rows)


def _code(text: str) -> str:
    """Write code for a table; neither form of `|` in backticks is read by both GitHub and MkDocs."""
    return f"<code>{html.escape(text).replace('|', '&#124;')}</code>" if "|" in text else f"`{text}`"


def _fields(cls: type) -> dict[str, tuple[str, str]]:
    """Give the type and the default of each field, as written; a default that is not short is left out."""
    found = {}
    aliases = {name: f.alias for name, f in cls.model_fields.items()} if issubclass(cls, Record) else {}
    for statement in _class_body(cls):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = aliases.get(statement.target.id) or statement.target.id
            default = "" if statement.value is None else ast.unparse(statement.value)
            annotation = re.sub(r"^Annotated\[(.*), Field\(.*\)\]$", r"\1", ast.unparse(statement.annotation))
            found[name] = annotation, re.sub(r"^Field\((?:default=([^,)]+))?.*\)$", r"\1", default)
    return found


def _class_body(cls: type) -> list[ast.stmt]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    if not isinstance(tree, ast.ClassDef):
        raise TypeError(cls.__name__)
    return tree.body


def _attribute_docs(cls: type) -> dict[str, str]:
    """Give the sentence under each field."""
    body = _class_body(cls)
    found = {}
    for statement, after in pairwise(body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = after.value if isinstance(after, ast.Expr) else None
            if isinstance(text, ast.Constant):
                found[statement.target.id] = " ".join(str(text.value).split())
    return found


def _google_docs(cls: type) -> dict[str, str]:
    """Give the entries of the section `Attributes`."""
    if not dataclasses.is_dataclass(cls):
        raise TypeError(cls.__name__)
    section = (inspect.getdoc(cls) or "").partition("Attributes:\n")[2].split("\n\n")[0]
    entries = re.findall(r"^    (\w+): ((?:.*\n?)(?:^     +.*\n?)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
