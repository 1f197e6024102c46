"""One model at several addresses: a call goes to whoever is free, and on to another where one fails."""

from collections.abc import Sequence
from queue import Queue

from edgekernelbench.agents.models.protocol import ChatModel, Reply, Request
from edgekernelbench.base.errors import ModelError


class SpreadModel:
    """Asks one of several clients of the same model.

    Attributes:
        name: The model's name, which is that of every client.
    """

    def __init__(self, clients: Sequence[ChatModel], concurrency: int) -> None:
        """Take clients.

        Args:
            clients: At least one.
            concurrency: The most calls at one time of each.
        """
        self.name = clients[0].name
        self._clients = tuple(clients)
        self._free: Queue[int] = Queue()
        for _ in range(concurrency):
            for number in range(len(clients)):
                self._free.put(number)

    def complete(self, request: Request) -> Reply:
        """Ask; a client that fails is passed over for this call.

        Raises:
            ModelError: When none of them answered.
        """
        number = self._free.get()
        try:
            try:
                return self._clients[number].complete(request)
            except ModelError as error:
                failure = error
            for client in (*self._clients[number + 1 :], *self._clients[:number]):
                try:
                    return client.complete(request)
                except ModelError as error:
                    failure = error
            raise failure
        finally:
            self._free.put(number)
