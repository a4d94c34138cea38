"""What goes wrong, by the service's table of error codes."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Mapping

import httpx

from .models import OpError, OperationOut

_CODES_OF_STATUSES = {
    400: "invalid_argument",
    403: "forbidden",
    404: "not_found",
    405: "invalid_argument",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media",
    422: "validation_error",
    429: "rate_limited",
    502: "unavailable",
    503: "unavailable",
    504: "timeout",
}


@dataclass(frozen=True)
class FormulaMistake:
    """A place in a formula, in code points, and what to write there."""

    code: str
    message: str
    position: int
    length: int
    hint: str
    pointer: str


class VitrineError(Exception):
    """A request that the service refused, or that did not reach it (status 0)."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        retry_after: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.retry_after = retry_after
        self.details = dict(details or {})
        self.errors: list[dict[str, Any]] = self.details.get("errors") or []
        self.formula = _mistake(self.errors)
        self.hint: str | None = self.details.get("hint") or (self.formula.hint if self.formula else None)
        self.request_id: str | None = self.details.get("request_id")


class OperationFailed(Exception):
    """An operation that ended with failed elements, or was aborted."""

    def __init__(self, operation: OperationOut) -> None:
        why = "was aborted" if operation.is_aborted else f"has {operation.num_bad} of {operation.num_total} elements failed"
        first = f": {operation.errors[0].msg}" if operation.errors else ""
        super().__init__(f"Operation {operation.operation_id} {why}{first}")
        self.operation = operation
        self.errors: list[OpError] = operation.errors


def error_of_reply(reply: httpx.Response) -> VitrineError:
    """The error of a reply with a status from 400, whose body is read."""
    try:
        body = reply.json()
    except ValueError:
        body = {}
    details: dict[str, Any] = body if isinstance(body, dict) else {}
    details.setdefault("request_id", reply.headers.get("x-request-id"))
    errors = details.get("errors") or []
    is_formula = bool(errors) and str(errors[0].get("type", "")).startswith("formula.")
    detail = details.get("detail")
    message = detail if isinstance(detail, str) else f"The service answered {reply.status_code}"
    code = "invalid_formula" if is_formula else details.get("code") or _code_of(reply.status_code, message)
    return VitrineError(
        code, message, status=reply.status_code, retry_after=retry_after_of(reply), details=details
    )


def _code_of(status: int, message: str) -> str:
    if status == 401:
        return "unauthenticated" if message == "Not authenticated" else "invalid_key"
    return _CODES_OF_STATUSES.get(status, "internal")


def retry_after_of(reply: httpx.Response) -> float | None:
    """Seconds of ``Retry-After``, which may also be a date."""
    said = reply.headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time())
    except ValueError:
        return None


def _mistake(errors: list[dict[str, Any]]) -> FormulaMistake | None:
    if not errors or not str(errors[0].get("type", "")).startswith("formula."):
        return None
    first, context = errors[0], errors[0].get("ctx") or {}
    return FormulaMistake(
        code=str(first["type"]).removeprefix("formula."),
        message=first["msg"],
        position=context.get("position", 0),
        length=context.get("length", 0),
        hint=context.get("hint", ""),
        pointer=context.get("pointer", ""),
    )
