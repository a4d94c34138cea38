# Generated from _async by npm run generate.
"""Formulas that are saved under a name, and can watch."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any, Generator, Callable, Mapping
from urllib.parse import quote

from ..events import FormulaEvent, SavedFormula
from ..formula import Formula
from .streams import follow
from .transport import Transport

RunGraphQL = Callable[[str, Mapping[str, Any]], Any]

SHOWN = "{ name formula watching createdAt updatedAt }"
SAVE = f"""mutation ($name: String!, $formula: String!, $watching: Boolean, $replace: Boolean!) {{
  saved: saveFormula(name: $name, formula: $formula, watching: $watching, replace: $replace) {SHOWN} }}"""
REMOVE = f"mutation ($name: String!) {{ saved: deleteSavedFormula(name: $name) {SHOWN} }}"


class Formulas:
    def __init__(self, transport: Transport, graphql: RunGraphQL) -> None:
        self._transport = transport
        self._graphql = graphql

    def save(
        self, name: str, formula: str | Formula, *, watching: bool | None = None, replace: bool = False
    ) -> SavedFormula:
        """Saves a formula under a name. One that watches reports changes from now on."""
        variables = {"name": name, "formula": str(formula), "watching": watching, "replace": replace}
        return SavedFormula.model_validate((self._graphql(SAVE, variables))["saved"])

    def delete(self, name: str) -> SavedFormula | None:
        """Deletes a saved formula, but no records; None if there is none with that name."""
        saved = (self._graphql(REMOVE, {"name": name}))["saved"]
        return None if saved is None else SavedFormula.model_validate(saved)

    def follow(self, name: str, *, after: int | None = None) -> Generator[FormulaEvent, None, None]:
        """Records as they begin or cease to match a formula that watches, until the reader stops, even over broken
        connections. Without ``after``, those from now on; after 0, all that are kept."""
        path = f"/formulas/{quote(name, safe='')}/events"
        since = None if after is None else str(after)
        with closing(follow(self._transport, path, after=since, is_endless=True)) as stream:
            for data in stream:
                yield FormulaEvent.model_validate(json.loads(data))
