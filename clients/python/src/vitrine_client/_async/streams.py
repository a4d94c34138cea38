"""Streams of events, even over broken connections."""

from __future__ import annotations

from typing import AsyncGenerator

import httpx

from .._pause import async_pause
from ..errors import VitrineError, error_of_reply
from .transport import AsyncTransport


async def follow(
    transport: AsyncTransport, path: str, *, after: str | None, is_endless: bool = False
) -> AsyncGenerator[str, None]:
    """The data of each event: none is left out, and none comes twice."""
    last, failures = after, 0
    while True:
        try:
            async with transport.http.stream(
                "GET", transport.address_of(path), headers=transport.event_headers(last)
            ) as reply:
                if reply.status_code == 204:
                    return
                if reply.status_code >= 400:
                    await reply.aread()
                    raise error_of_reply(reply)
                # A stream without an end may be silent until it is closed.
                if is_endless:
                    failures = 0
                number: str | None = None
                async for line in reply.aiter_lines():
                    if line == "event: error":
                        break  # The key is no longer valid: the next request says so.
                    if line.startswith("id:"):
                        number = line[3:].strip()
                    if not line.startswith("data:"):
                        continue
                    last, failures = number or last, 0
                    yield line[5:]
        except httpx.TransportError:
            pass
        except VitrineError as error:
            if error.status not in (429, 502, 503):
                raise
        failures += 1
        if failures > transport.retries:
            raise VitrineError("connection_failed", f"The events of {path} ended early")
        await async_pause(min(5.0, 0.1 * 2**failures))
