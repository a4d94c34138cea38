# Generated from _async by npm run generate.
"""The client of one service with one API key."""

from __future__ import annotations

from types import TracebackType
from typing import Any, BinaryIO, Mapping, Union

import httpx

from ..errors import VitrineError
from ..formula import Formula
from ..models import DuplicatePage, FormulaExplanation, FoundImage, FoundVideo, Me, QueryImage, TagImageResponse
from .formulas import Formulas
from .operations import Operations, Write
from .records import Records
from .transport import Transport, plain
from .uploads import Uploads

Picture = Union[bytes, BinaryIO]


class Vitrine:
    """Searches, writes, follows, undoes and uploads. Closes its connections at the end of a ``with``."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retries: int = 4,
        max_retry_after: float = 60,
        timeout: float = 70,
        http: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(
            url, key, retries=retries, max_retry_after=max_retry_after, timeout=timeout, http=http
        )
        self.operations = Operations(self._transport)
        self.images = Records("/imgs", "image_id", FoundImage, self._transport)
        self.videos = Records("/vids", "video_id", FoundVideo, self._transport)
        self.formulas = Formulas(self._transport, self.graphql)
        self.uploads = Uploads(self._transport)

    def __enter__(self) -> Vitrine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.http.close()

    def me(self) -> Me:
        """Who the key belongs to, and what it may do."""
        return Me.model_validate(self._transport.json("GET", "/me"))

    def tag(self, picture: Picture | str, **options: Any) -> TagImageResponse:
        """Analyzes a picture, given as a file or by its address, without storing it."""
        form = plain(options)
        if isinstance(picture, str):
            form["image_url"] = picture
        sent = {} if isinstance(picture, str) else {"files": {"image": ("picture", _bytes(picture))}}
        reply = self._transport.json("POST", "/tag/image", data=form, is_repeatable=True, **sent)
        return TagImageResponse.model_validate(reply)

    def query_image(self, picture: Picture) -> QueryImage:
        """Uploads a picture to search by: ``f.similar_to(hash)``, ``f.copy_of(hash)``."""
        files = {"image": ("picture", _bytes(picture))}
        reply = self._transport.json("POST", "/query_imgs", files=files, is_repeatable=True)
        return QueryImage.model_validate(reply)

    def explain(
        self, formula: str | Formula, *, lang: str | None = None, language: str | None = None
    ) -> FormulaExplanation:
        """What a formula means, what each part finds, and what would find more."""
        query = {"q": str(formula), "lang": lang, "language": language}
        return FormulaExplanation.model_validate(self._transport.json("GET", "/imgs/explain", query=query))

    def find_duplicates(
        self, formula: str | Formula = "", *, tier: str | None = None, **options: Any
    ) -> Write:
        """Searches for groups of duplicates among what a formula finds."""
        query = {"q": str(formula), "tier": tier}
        return self.operations.write("POST", "/duplicates", query=query, **options)

    def duplicates(self, **query: Any) -> DuplicatePage:
        """The groups of duplicates that were found, a page at a time."""
        return DuplicatePage.model_validate(self._transport.json("GET", "/duplicates", query=query))

    def graphql(
        self, document: str, variables: Mapping[str, Any] | None = None, *, idempotency_key: str | None = None
    ) -> Any:
        """Runs a GraphQL document and returns its data; raises VitrineError with the first error of the reply."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        body = {"query": document, "variables": dict(variables or {})}
        reply = self._transport.json("POST", "/graphql", json=body, headers=headers)
        if not reply.get("errors"):
            return reply["data"]
        error = reply["errors"][0]
        details = dict(error["extensions"])
        raise VitrineError(
            details.pop("code"), error["message"], status=200, retry_after=details.pop("retryAfter", None), details=details
        )


def _bytes(picture: Picture) -> bytes:
    """Read once, so that it can be sent again."""
    return picture if isinstance(picture, bytes) else picture.read()
