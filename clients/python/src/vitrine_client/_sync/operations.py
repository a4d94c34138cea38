# Generated from _async by npm run generate.
"""Everything that was written: follow, wait, abort, undo."""

from __future__ import annotations

import json
import math
import secrets
from contextlib import closing
from typing import Any, Generator, Mapping

from ..errors import OperationFailed
from ..events import OperationEvent
from ..models import ElementChangePage, OperationOut
from .streams import follow
from .transport import Transport


class Write:
    """A write that the service has accepted."""

    def __init__(self, operations: Operations, reply: Mapping[str, Any]) -> None:
        self._operations = operations
        self.id: int = reply["operation_id"]
        self.operation = OperationOut.model_validate(reply) if "is_finished" in reply else None

    def wait(self, *, allow_failures: bool = False) -> OperationOut:
        """Waits until it is done; raises OperationFailed when elements failed."""
        if self.operation is not None and self.operation.is_finished:
            return _judged(self.operation, allow_failures)
        return self._operations.wait(self.id, allow_failures=allow_failures)

    def follow(self) -> Generator[OperationEvent, None, None]:
        """Its events from the first to the last."""
        return self._operations.follow(self.id)

    def abort(self) -> OperationOut:
        return self._operations.abort(self.id)

    def undo(self, **options: Any) -> Write:
        """Undoes what it changed."""
        return self._operations.undo(self.id, **options)


class Operations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, id: int) -> OperationOut:
        return OperationOut.model_validate(self._transport.json("GET", f"/ops/{id}"))

    def list(self, **query: Any) -> list[OperationOut]:
        """Newest first."""
        found = self._transport.json("GET", "/ops", query=query)
        return [OperationOut.model_validate(each) for each in found]

    def changes(self, id: int, **query: Any) -> ElementChangePage:
        """What an operation did to each record, a page at a time."""
        return ElementChangePage.model_validate(self._transport.json("GET", f"/ops/{id}/changes", query=query))

    def wait(self, id: int, *, allow_failures: bool = False) -> OperationOut:
        """Waits until an operation is done, its analysis included; raises OperationFailed when elements failed."""
        for _ in self.follow(id):
            pass
        return _judged(self.get(id), allow_failures)

    def follow(self, id: int) -> Generator[OperationEvent, None, None]:
        """The events of an operation until its last, even over broken connections."""
        with closing(follow(self._transport, f"/ops/{id}/events", after="0")) as stream:
            for data in stream:
                event = OperationEvent.model_validate(json.loads(data))
                yield event
                if event.type in ("finished", "aborted"):
                    return

    def abort(self, id: int) -> OperationOut:
        """Stops an operation after the elements in progress."""
        reply = self._transport.json("DELETE", f"/ops/{id}", is_repeatable=True)
        return OperationOut.model_validate(reply)

    def undo(self, id: int, *, on_conflict: str | None = None, **options: Any) -> Write:
        """Undoes what an operation changed; fields changed since are skipped, or treated as ``on_conflict`` says."""
        return self.write("POST", f"/ops/{id}/undo", query={"on_conflict": on_conflict}, **options)

    def write(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        if_match: str | None = None,
        wait: bool | float = False,
        urgent: bool | None = None,
        strict: bool | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Write:
        """Sends a write with an idempotency key. With ``wait``, the reply comes when it is done, or after that many seconds."""
        headers = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
        if if_match is not None:
            headers["If-Match"] = if_match
        if wait is not True and wait:
            headers["Prefer"] = f"wait={math.ceil(wait)}"
        flags = {"wait": bool(wait) or None, "urgent": urgent, "strict": strict, "dry_run": dry_run}
        body = {} if json is None else {"json": json}
        # A reply that waits for the operation takes longer than others.
        timeout = {"timeout": 150.0} if wait else {}
        reply = self._transport.json(
            method, path, query={**(query or {}), **flags}, headers=headers, **body, **timeout
        )
        return Write(self, reply)


def _judged(operation: OperationOut, allow_failures: bool) -> OperationOut:
    if not allow_failures and (operation.is_aborted or operation.num_bad > 0):
        raise OperationFailed(operation)
    return operation
