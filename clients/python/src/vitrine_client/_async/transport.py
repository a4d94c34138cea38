"""Sends requests, and retries them where that is safe and may help."""

from __future__ import annotations

import os
import random
from typing import Any, Mapping

import httpx

from .._pause import async_pause
from ..errors import VitrineError, error_of_reply

ACCEPTED = "application/json, application/problem+json"


class AsyncTransport:
    def __init__(
        self, url: str, key: str, *, retries: int, max_retry_after: float, timeout: float, http: httpx.AsyncClient | None
    ) -> None:
        self.url = url.rstrip("/")
        self.retries = retries
        self._max_wait = max_retry_after
        self._headers = {"API-Key": key, "Accept": ACCEPTED}
        self.http = http or httpx.AsyncClient(timeout=timeout)

    async def json(self, method: str, path: str, **request: Any) -> Any:
        return (await self.send(method, path, **request)).json()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool | None = None,
        **body: Any,
    ) -> httpx.Response:
        """Returns a reply with a status below 400, its body read; raises VitrineError."""
        sent = {**self._headers, **(headers or {})}
        repeatable = method in ("GET", "HEAD") or "Idempotency-Key" in sent if is_repeatable is None else is_repeatable
        attempt = 0
        while True:
            error = None
            try:
                reply = await self.http.request(method, self.address_of(path), params=plain(query), headers=sent, **body)
                if reply.status_code < 400:
                    return reply
                error = error_of_reply(reply)
            except httpx.TransportError as cause:
                error = VitrineError("connection_failed", f"{self.url} cannot be reached: {cause}")
            wait = self._wait_of(error, attempt, repeatable)
            if wait is None:
                raise error
            await async_pause(wait)
            attempt += 1

    async def download(self, address: str, to: str | os.PathLike[str]) -> None:
        """Stores the file at a signed address, which needs no key and may belong to another server."""
        partial = f"{os.fspath(to)}.part"
        attempt = 0
        while True:
            try:
                async with self.http.stream("GET", self.address_of(address)) as reply:
                    if reply.status_code < 400:
                        with open(partial, "wb") as file:
                            async for piece in reply.aiter_bytes():
                                file.write(piece)
                        return os.replace(partial, to)
                    await reply.aread()
                    error = error_of_reply(reply)
            except httpx.TransportError as cause:
                error = VitrineError("connection_failed", f"{self.url} cannot be reached: {cause}")
            wait = self._wait_of(error, attempt, is_repeatable=True)
            if wait is None:
                raise error
            await async_pause(wait)
            attempt += 1

    def address_of(self, path: str) -> str:
        return f"{self.url}{path}" if path.startswith("/") else path

    def event_headers(self, last: str | None) -> dict[str, str]:
        since = {} if last is None else {"Last-Event-ID": last}
        return {**self._headers, "Accept": "text/event-stream, application/problem+json", **since}

    def _wait_of(self, error: VitrineError, attempt: int, is_repeatable: bool) -> float | None:
        # What was refused for its rate was not begun, so it may always be sent again.
        passing = error.status == 429 or (
            is_repeatable and (error.status in (0, 502, 503) or error.code == "idempotency_key_in_use")
        )
        if not passing or attempt >= self.retries:
            return None
        growing = min(10.0, 0.25 * 2**attempt * random.uniform(0.5, 1))
        wait = growing if error.retry_after is None else error.retry_after + random.uniform(0, 0.1)
        return wait if wait <= self._max_wait else None


def plain(query: Mapping[str, Any] | None) -> dict[str, Any]:
    """A query without what is not given, in the words of the service."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in (query or {}).items()
        if value is not None
    }
