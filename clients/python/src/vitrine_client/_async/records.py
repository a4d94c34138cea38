"""The images or the videos of the catalog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, AsyncIterator, Generic, Mapping, Sequence, TypeVar, Union
from urllib.parse import quote

from ..formula import Formula
from ..models import ExportFile, Model, RecordChangePage
from .operations import AsyncOperations, AsyncWrite
from .transport import AsyncTransport

if TYPE_CHECKING:
    import pandas

R = TypeVar("R", bound=Model)
Record = Union[Mapping[str, Any], Model]


class AsyncRecords(Generic[R]):
    def __init__(self, path: str, id_field: str, model: type[R], transport: AsyncTransport) -> None:
        self._path = path
        self._id_field = id_field
        self._model = model
        self._transport = transport
        self._operations = AsyncOperations(transport)

    async def get(self, id: str, *, fields: Sequence[str] | None = None, at: str | None = None) -> R:
        """One record; raises VitrineError ``not_found``."""
        query = {"fields": fields, "at": at}
        return self._model.model_validate(await self._transport.json("GET", self._path_of(id), query=query))

    async def search(
        self,
        formula: str | Formula = "",
        *,
        fields: Sequence[str] | None = None,
        sort: str | None = None,
        order: str | None = None,
        lang: str | None = None,
        page_size: int = 200,
    ) -> AsyncIterator[R]:
        """Everything that a formula finds, page after page by cursor."""
        cursor: str | None = ""
        while cursor is not None:
            query = {
                "q": str(formula),
                "fields": fields or [self._id_field, "title"],
                "sort_by": sort,
                "sort_order": order,
                "lang": lang,
                "limit": page_size,
                "cursor": cursor,
            }
            page = await self._transport.json("GET", self._path, query=query)
            for record in page["results"]:
                yield self._model.model_validate(record)
            cursor = page.get("cursor")

    async def frame(self, formula: str | Formula = "", **options: Any) -> pandas.DataFrame:
        """What a search finds as a table of pandas, which has to be installed."""
        import pandas

        rows = [record.model_dump(exclude_unset=True) async for record in self.search(formula, **options)]
        return pandas.DataFrame(rows)

    async def count(self, formula: str | Formula = "") -> int:
        """How many records a formula finds, exactly."""
        query = {"q": str(formula), "limit": 1, "count": True, "fields": [self._id_field]}
        count: int = (await self._transport.json("GET", self._path, query=query))["count"]
        return count

    async def facets(self, fields: Sequence[str], formula: str | Formula = "") -> dict[str, list[dict[str, Any]]]:
        """The values of fields among what a formula finds, and how often each occurs."""
        query = {"q": str(formula), "limit": 1, "facets": fields, "fields": [self._id_field]}
        facets: dict[str, list[dict[str, Any]]] = (await self._transport.json("GET", self._path, query=query))["facets"]
        return facets

    async def export(
        self,
        formula: str | Formula,
        to: str | os.PathLike[str],
        *,
        format: str | None = None,
        fields: Sequence[str] | None = None,
        sort: str | None = None,
        order: str = "desc",
        lang: str = "ml",
    ) -> ExportFile:
        """Exports what a formula finds into a file, by its extension (csv, ndjson, zip) or ``format``."""
        request = {"q": str(formula), "format": format or Path(to).suffix[1:], "fields": fields}
        words = {"sort_by": sort, "sort_order": order, "lang": lang}
        write = await self._operations.write("POST", f"/exports{self._path}", json={**request, **words})
        await write.wait()
        file = ExportFile.model_validate(await self._transport.json("GET", f"/exports/{write.id}"))
        await self._transport.download(file.url, to)
        return file

    async def create(self, records: Record | Sequence[Record], **options: Any) -> AsyncWrite:
        """Stores a new record, or a list of them."""
        return await self._write("POST", records, options)

    async def replace(self, records: Record | Sequence[Record], **options: Any) -> AsyncWrite:
        """Replaces a record, or each of a list: omitted fields become null."""
        return await self._write("PUT", records, options)

    async def patch(self, records: Record | Sequence[Record], **options: Any) -> AsyncWrite:
        """Changes the given fields of a record, or of each of a list; None clears a field."""
        return await self._write("PATCH", records, options)

    async def patch_where(self, formula: str | Formula, set: Record, **options: Any) -> AsyncWrite:
        """Writes the same to all that a formula finds, at most 10 000 records."""
        query, rest = _split(options)
        query["q"] = str(formula)
        return await self._operations.write("PATCH", self._path, query=query, json=_json(set), **rest)

    async def delete(self, ids: str | Sequence[str], **options: Any) -> AsyncWrite:
        """Deletes a record, or a list of them, by id."""
        if isinstance(ids, str):
            return await self._operations.write("DELETE", self._path_of(ids), **options)
        body = [{"id": id} for id in ids]
        return await self._operations.write("POST", f"{self._path}/delete", json=body, **options)

    async def delete_where(self, formula: str | Formula, **options: Any) -> AsyncWrite:
        """Deletes all that a formula finds, at most 10 000 records."""
        return await self._operations.write("DELETE", self._path, query={"q": str(formula)}, **options)

    async def history(self, id: str, **query: Any) -> RecordChangePage:
        """Changes of a record, newest first."""
        reply = await self._transport.json("GET", f"{self._path_of(id)}/history", query=query)
        return RecordChangePage.model_validate(reply)

    def _path_of(self, id: str) -> str:
        return f"{self._path}/{quote(id, safe='')}"

    async def _write(self, method: str, records: Record | Sequence[Record], options: dict[str, Any]) -> AsyncWrite:
        query, rest = _split(options)
        if isinstance(records, (Mapping, Model)):
            body = _json(records)
            path = self._path_of(body.pop("id"))
            return await self._operations.write(method, path, query=query, json=body, **rest)
        body_list = [_json(record) for record in records]
        return await self._operations.write(method, self._path, query=query, json=body_list, **rest)


def _json(record: Record) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude_unset=True) if isinstance(record, Model) else dict(record)


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What writes of records take beside what every write takes: lang, on_duplicate, respect_locks, upsert."""
    own = ("lang", "on_duplicate", "respect_locks", "upsert")
    query = {name: options[name] for name in own if name in options}
    return query, {name: value for name, value in options.items() if name not in own}
