"""Files that become sources of records, sent in pieces by the tus protocol."""

from __future__ import annotations

import os
from base64 import b64encode
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Callable, Union
from urllib.parse import unquote

import httpx

from .._pause import async_pause
from ..errors import VitrineError
from .transport import AsyncTransport

PROTOCOL = {"Tus-Resumable": "1.0.0"}
File = Union[str, "os.PathLike[str]", bytes, BinaryIO]

_State = tuple[int, Union[str, None], int]
"""How much has arrived, the source path of a whole file, and its length, which only replies to HEAD have."""


@dataclass(frozen=True)
class UploadProgress:
    """How much has arrived. With its address, the upload can continue later or elsewhere."""

    sent: int
    total: int
    address: str


class AsyncUploads:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def send(
        self,
        file: File,
        *,
        name: str | None = None,
        resume: str | None = None,
        piece_size: int = 8 * 2**20,
        on_progress: Callable[[UploadProgress], None] | None = None,
    ) -> str:
        """Returns the ``src_path`` for writes. What has arrived stays when a connection breaks."""
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                own = name or os.path.basename(os.fspath(file))
                return await self._send(opened, own, resume, piece_size, on_progress)
        if isinstance(file, bytes):
            file = BytesIO(file)
        return await self._send(file, name or "file", resume, piece_size, on_progress)

    async def _send(
        self,
        file: BinaryIO,
        name: str,
        resume: str | None,
        piece_size: int,
        on_progress: Callable[[UploadProgress], None] | None,
    ) -> str:
        total = file.seek(0, os.SEEK_END)
        address = resume or await self._create(total, name)
        offset, path, length = await self._state(address)
        if path is None and length != total:
            raise VitrineError("upload_conflict", f"The upload is of a file of {length} bytes, this one has {total}")
        failures = 0
        while path is None:
            if on_progress is not None:
                on_progress(UploadProgress(offset, total, address))
            file.seek(offset)
            try:
                offset, path, _ = await self._send_piece(address, file.read(piece_size), offset)
                failures = 0
            except VitrineError as error:
                failures += 1
                passing = error.code == "upload_conflict" or error.status == 0 or error.status >= 500
                if not passing or failures > self._transport.retries:
                    raise
                await async_pause(0.25 * 2**failures)
                offset, path, _ = await self._state(address)
        if on_progress is not None:
            on_progress(UploadProgress(total, total, address))
        return path

    async def _create(self, size: int, name: str) -> str:
        metadata = f"filename {b64encode(name.encode()).decode()}"
        headers = {**PROTOCOL, "Upload-Length": str(size), "Upload-Metadata": metadata}
        # An upload of which nothing arrives is removed.
        reply = await self._transport.send("POST", "/uploads", headers=headers, is_repeatable=True)
        location: str = reply.headers["location"]
        return location

    async def _state(self, address: str) -> _State:
        return _state_of((await self._transport.send("HEAD", address, headers=PROTOCOL)).headers)

    async def _send_piece(self, address: str, piece: bytes, offset: int) -> _State:
        headers = {**PROTOCOL, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        return _state_of((await self._transport.send("PATCH", address, headers=headers, content=piece)).headers)


def _state_of(headers: httpx.Headers) -> _State:
    path = headers.get("src-path")
    offset, length = (int(headers.get(name, "0")) for name in ("upload-offset", "upload-length"))
    return offset, None if path is None else unquote(path), length
