from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from vitrine_client import AsyncVitrine, OperationFailed, Vitrine, VitrineError, f, models
from vitrine_client._sync.uploads import UploadProgress

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_uploads_creates_changes_undoes_and_deletes(vitrine: Vitrine, boats: Path) -> None:
    pieces: list[int] = []
    path = vitrine.uploads.send(boats, piece_size=30_000, on_progress=lambda progress: pieces.append(progress.sent))
    assert 30_000 in pieces
    written = vitrine.images.create([{"id": "py/1", "src_path": path}, {"id": "py2", "src_path": path, "title": "Two"}])
    types = [event.type for event in written.follow()]
    assert (types[0], types[-1]) == ("queued", "finished")
    assert written.wait().num_good == 2
    patched = vitrine.images.patch({"id": "py/1", "city": "Nagasaki"}, wait=True)
    assert vitrine.images.get("py/1", fields=["city"]).city == "Nagasaki"
    patched.undo().wait()
    assert vitrine.images.get("py/1", fields=["city"]).city is None
    vitrine.images.patch_where(f.eq("title", "Two"), {"keywords": {"add": ["boat"]}}, strict=True).wait()
    assert vitrine.images.get("py2", fields=["keywords"]).keywords == ["boat"]
    assert vitrine.images.history("py2").count >= 2
    assert vitrine.images.delete(["py/1", "py2"]).wait().num_good == 2
    with pytest.raises(VitrineError) as caught:
        vitrine.images.get("py2")
    assert (caught.value.code, caught.value.status) == ("not_found", 404)


def test_resumes_no_upload_with_a_file_of_another_size(vitrine: Vitrine, boats: Path) -> None:
    addresses: list[str] = []

    def stop(progress: UploadProgress) -> None:
        addresses.append(progress.address)
        if progress.sent > 0:
            raise InterruptedError

    picture = boats.read_bytes()
    with pytest.raises(InterruptedError):
        vitrine.uploads.send(picture, piece_size=10_000, on_progress=stop)
    with pytest.raises(VitrineError) as caught:
        vitrine.uploads.send(picture[:20_000], resume=addresses[0])
    assert caught.value.code == "upload_conflict"


def test_searches_page_after_page(vitrine: Vitrine) -> None:
    found = vitrine.images.search(f.lt("date", "1920"), fields=["title", "date"], sort="date", order="asc", page_size=1)
    assert [record.title for record in found][0] == "Alpine landscape"
    assert vitrine.images.count(f.eq("country", "Japan")) == 1
    assert {"value": "Japan", "count": 1} in vitrine.images.facets(["country"])["country"]
    assert vitrine.explain(f.words("house")).count == 3


def test_says_where_a_formula_is_wrong(vitrine: Vitrine) -> None:
    with pytest.raises(VitrineError) as caught:
        vitrine.images.count("contry:es")
    error = caught.value
    assert (error.code, error.hint) == ("invalid_formula", "Did you mean country?")
    assert error.formula is not None and (error.formula.code, error.formula.length) == ("unknown_field", 6)
    with pytest.raises(VitrineError, match="contry"):
        vitrine.graphql('{ images(q: "contry:es") { count } }')
    assert vitrine.graphql("{ images { results { imageId } } }")["images"]["results"]


def test_says_which_elements_failed(vitrine: Vitrine) -> None:
    write = vitrine.images.patch([{"id": "alps", "event": "X"}, {"id": "nowhere", "event": "X"}])
    with pytest.raises(OperationFailed) as caught:
        write.wait()
    assert [(error.ref, error.code) for error in caught.value.errors] == [("nowhere", "not_found")]
    assert write.wait(allow_failures=True).num_bad == 1


def test_writes_once_what_is_sent_twice(vitrine: Vitrine) -> None:
    first = vitrine.images.patch({"id": "alps", "event": "Once"}, idempotency_key="py-once", wait=True)
    assert vitrine.images.patch({"id": "alps", "event": "Once"}, idempotency_key="py-once", wait=True).id == first.id


class Breaking(httpx.HTTPTransport):
    """Loses the reply of the first requests, or answers in place of the service."""

    def __init__(self, *answers: httpx.Response | None) -> None:
        super().__init__()
        self.answers = list(answers)
        self.keys: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("idempotency-key"))
        reply = super().handle_request(request)
        if not self.answers:
            return reply
        own = self.answers.pop(0)
        reply.close()
        if own is None:
            raise httpx.ReadError("the connection broke", request=request)
        return own


def test_sends_a_write_again_with_its_key(address: tuple[str, str]) -> None:
    breaking = Breaking(None, httpx.Response(503, headers={"Retry-After": "0"}))
    with Vitrine(*address, http=httpx.Client(transport=breaking)) as client:
        assert client.images.patch({"id": "alps", "event": "Again"}, wait=True).wait().num_good == 1
    assert len(breaking.keys) == 3 and len(set(breaking.keys)) == 1 and breaking.keys[0] is not None


def test_waits_no_longer_than_a_bound(address: tuple[str, str]) -> None:
    breaking = Breaking(httpx.Response(429, headers={"Retry-After": "3600"}))
    with Vitrine(*address, http=httpx.Client(transport=breaking)) as client, pytest.raises(VitrineError) as caught:
        client.me()
    assert (caught.value.code, caught.value.retry_after) == ("rate_limited", 3600)


def test_asks_to_wait_at_least_as_long_as_given() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers["prefer"])
        return httpx.Response(202, json={"operation_id": 1})

    Vitrine("http://x", "key", http=httpx.Client(transport=httpx.MockTransport(answer))).images.delete("a", wait=0.5)
    assert asked == ["wait=1"]


def test_names_a_wrong_key_and_a_service_that_is_not_there(address: tuple[str, str]) -> None:
    with pytest.raises(VitrineError) as caught:
        Vitrine(address[0], "vt_wrong").me()
    assert caught.value.code == "invalid_key"
    with pytest.raises(VitrineError) as caught:
        Vitrine("http://127.0.0.1:1", "x", retries=1).me()
    assert (caught.value.code, caught.value.status) == ("connection_failed", 0)


def test_does_the_same_for_asyncio(address: tuple[str, str], boats: Path) -> None:
    async def day() -> list[str | None]:
        async with AsyncVitrine(*address) as vitrine:
            path = await vitrine.uploads.send(boats)
            write = await vitrine.images.create({"id": "async", "src_path": path, "title": "Async"})
            assert [event.type async for event in write.follow()][-1] == "finished"
            titles = [image.title async for image in vitrine.images.search(f.eq("title", "Async"))]
            await (await write.undo()).wait()
            with pytest.raises(VitrineError):
                await vitrine.images.get("async")
            return titles

    assert asyncio.run(day()) == ["Async"]


def test_tags_a_picture_and_searches_by_it(vitrine: Vitrine, boats: Path) -> None:
    tags = vitrine.tag(boats.read_bytes(), colors=True)
    assert tags.colors and isinstance(tags.colors[0], models.Color)
    assert vitrine.images.count(f.copy_of(vitrine.query_image(boats.read_bytes()).hash)) >= 0


def test_tells_of_what_begins_and_ceases_to_match(vitrine: Vitrine) -> None:
    saved = vitrine.formulas.save("Python events", f.eq("event", "Mine"), watching=True)
    assert (saved.name, saved.watching) == ("Python events", True)
    events = vitrine.formulas.follow("Python events", after=0)
    write = vitrine.images.patch({"id": "alps", "event": "Mine"}, wait=True)
    first = next(events)
    assert (first.kind, first.resource, first.id, first.deleted) == ("matched", "image", "alps", False)
    write.undo().wait()
    assert next(events).kind == "unmatched"
    events.close()
    assert vitrine.formulas.delete("Python events") is not None
    assert vitrine.formulas.delete("Python events") is None
    with pytest.raises(VitrineError, match="watches"):
        next(vitrine.formulas.follow("Python events"))


def test_follows_a_formula_for_asyncio(address: tuple[str, str]) -> None:
    async def day() -> list[str]:
        async with AsyncVitrine(*address) as vitrine:
            await vitrine.formulas.save("Async events", f.eq("event", "Async"), watching=True)
            events = vitrine.formulas.follow("Async events", after=0)
            seen: list[str] = []
            for event in ("Async", "None"):
                await vitrine.images.patch({"id": "alps", "event": event}, wait=True)
                seen.append((await anext(events)).kind)
            await events.aclose()
            await vitrine.formulas.delete("Async events")
            return seen

    assert asyncio.run(asyncio.wait_for(day(), 60)) == ["matched", "unmatched"]


def test_exports_what_a_formula_finds(vitrine: Vitrine, tmp_path: Path) -> None:
    file = vitrine.images.export(f.eq("country", "Japan"), tmp_path / "japan.csv", fields=["country"])
    assert (file.num_records, (tmp_path / "japan.csv").read_text()) == (1, "id,country\nnagasaki,Japan\n")
    assert [path.name for path in tmp_path.iterdir()] == ["japan.csv"]


def test_makes_a_table_of_pandas(vitrine: Vitrine) -> None:
    pytest.importorskip("pandas")
    frame = vitrine.images.frame(f.eq("country", "Japan"), fields=["image_id", "width"])
    assert frame.to_dict("records") == [{"image_id": "nagasaki", "width": 720}]


@pytest.mark.parametrize("program, said", [("whole_day.py", "Told of python:nagasaki-boats.jpg\nChanged 1 records\nTaken back: 0 are in Spain\nFound nagasaki-boats.jpg\nExported 1 records"), ("tag_folder.py", "1 pictures stored")])
def test_runs_the_examples(program: str, said: str, boats: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / boats.name).write_bytes(boats.read_bytes())
    argument = str(tmp_path / "in" / boats.name) if program == "whole_day.py" else str(tmp_path / "in")
    assert len((EXAMPLES / program).read_text().splitlines()) <= 40
    ran = subprocess.run([sys.executable, EXAMPLES / program, argument], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert said in ran.stdout
