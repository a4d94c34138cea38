"""Builds search formulas; every value is escaped. Values that no formula can have are a ValueError."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Iterable, Mapping, Union

Value = Union[str, int, float, bool, date, datetime]
"""A value of a field; days, months and years may be texts such as ``2024-05``."""

Picture = Union[str, Mapping[str, str]]
"""An id, a hash of a query image (``qh_…``), or one of ``{"id": …}``, ``{"hash": …}``, ``{"url": …}``, ``{"text": …}``."""


class Formula:
    """A formula, or a part of one: ``a & b``, ``a | b``, ``~a``. Its text is what the service reads."""

    def __init__(self, text: str, *, is_term: bool = False) -> None:
        self._text = text
        self._is_term = is_term

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Formula({self._text!r})"

    def __and__(self, other: Formula) -> Formula:
        return and_(self, other)

    def __or__(self, other: Formula) -> Formula:
        return or_(self, other)

    def __invert__(self) -> Formula:
        return not_(self)

    def _grouped(self) -> str:
        return self._text if self._is_term else f"({self._text})"


def _term(text: str) -> Formula:
    return Formula(text, is_term=True)


def _joined(operator: str, parts: tuple[Formula, ...]) -> Formula:
    if not parts:
        raise ValueError(f"{operator} of nothing")
    return parts[0] if len(parts) == 1 else Formula(f" {operator} ".join(part._grouped() for part in parts))


def _quoted(text: str) -> str:
    wrong = any(unicodedata.category(sign) in ("Cc", "Cs") and not sign.isspace() for sign in text)
    # The service knows these four of the control characters as blanks, and no others.
    if text == "" or wrong or any(sign in "\x1c\x1d\x1e\x1f\x85" for sign in text):
        raise ValueError(f"No formula has the value {text!r}")
    return '"' + re.sub(r'(["“”\\])', r"\\\1", text) + '"'


def _name(text: str) -> str:
    if not re.fullmatch(r"[^\W\d_][\w.]*", text):
        raise ValueError(f"{text!r} is no name")
    return text


def _written(value: Value) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if not math.isfinite(value):
        raise ValueError(f"No formula has the number {value}")
    return format(Decimal(repr(value)), "f")


def _bound(value: Value | None) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return _written(value)
    if not re.fullmatch(r"[-+]?[^\W_](?:[^\W_]|[:.+-])*", value) or ".." in value or value.endswith("."):
        raise ValueError(f"{value!r} is no end of a range")
    return value


def _escaped(word: str) -> str:
    _quoted(word)
    if word in ("AND", "OR", "NOT"):
        return f"\\{word}"
    return "".join(sign if sign == "_" or unicodedata.category(sign)[0] in "LN" else f"\\{sign}" for sign in word)


def and_(*parts: Formula) -> Formula:
    return _joined("AND", parts)


def or_(*parts: Formula) -> Formula:
    return _joined("OR", parts)


def not_(part: Formula) -> Formula:
    return Formula(f"NOT {part._grouped()}")


def all_() -> Formula:
    """Every record."""
    return _term("*")


def words(text: str) -> Formula:
    """Words in any form, all of them."""
    return _joined("AND", tuple(_term(_escaped(word)) for word in text.split()))


def phrase(text: str) -> Formula:
    """These words in this order."""
    return _term(_quoted(text))


def prefix(text: str) -> Formula:
    """Words with this prefix."""
    return _term(f"{_escaped(text)}*")


def eq(field: str, value: Value) -> Formula:
    """The whole value."""
    return _term(f"{_name(field)}={_written(value)}")


def ne(field: str, value: Value) -> Formula:
    return _term(f"{_name(field)}!={_written(value)}")


def matches(field: str, value: Value) -> Formula:
    """As ``field:value``: words of a text, the whole value of a keyword, a period of a date."""
    return _term(f"{_name(field)}:{_written(value)}")


def lt(field: str, value: Value) -> Formula:
    return _term(f"{_name(field)}<{_written(value)}")


def lte(field: str, value: Value) -> Formula:
    return _term(f"{_name(field)}<={_written(value)}")


def gt(field: str, value: Value) -> Formula:
    return _term(f"{_name(field)}>{_written(value)}")


def gte(field: str, value: Value) -> Formula:
    return _term(f"{_name(field)}>={_written(value)}")


def between(field: str, low: Value | None, high: Value | None) -> Formula:
    """From low to high, both included; None is open."""
    if low is None and high is None:
        raise ValueError("A range without an end")
    return _term(f"{_name(field)}:{_bound(low)}..{_bound(high)}")


def _list(values: Iterable[Value], separator: str) -> str:
    written = [_written(value) for value in values]
    if not written:
        raise ValueError("A list of no values")
    return separator.join(written)


def any_of(field: str, values: Iterable[Value]) -> Formula:
    """One of the values."""
    return _term(f"{_name(field)}:{_list(values, ',')}")


def all_of(field: str, values: Iterable[str]) -> Formula:
    """All of the values, of a list."""
    return _term(f"{_name(field)}:({_list(values, ' AND ')})")


def has(field: str) -> Formula:
    return _term(f"has:{_name(field)}")


def missing(field: str) -> Formula:
    return _term(f"no:{_name(field)}")


def is_(flag: str) -> Formula:
    """A flag: ``landscape``, ``nsfw``."""
    return _term(f"is:{_name(flag)}")


def saved(name: str) -> Formula:
    return _term(f"saved:{_quoted(name)}")


def _reference(picture: Picture) -> str:
    if isinstance(picture, str):
        picture = {"hash" if picture.startswith("qh_") else "id": picture}
    [(scheme, value)] = picture.items()
    return f"{_name(scheme)}:{_quoted(value)}"


def _similar(operator: str, picture: Picture, min_score: float | None) -> Formula:
    least = "" if min_score is None else f"@{_written(min_score)}"
    return _term(f"i{operator}{_reference(picture)}{least}")


def similar_to(picture: Picture, *, by: str = "theme", min_score: float | None = None) -> Formula:
    """Similar pictures: of the same ``theme``, the same ``subject``, or the same ``scene``."""
    return _similar({"theme": "~", "subject": "~~", "scene": "~~~"}[by], picture, min_score)


def copy_of(picture: Picture, *, tier: str = "edited", min_score: float | None = None) -> Formula:
    """Copies of a picture: also ``edited`` ones, the ``same`` picture in other files, or the ``exact`` one."""
    return _similar({"edited": "=", "same": "==", "exact": "==="}[tier], picture, min_score)


def raw(text: str) -> Formula:
    """A formula as somebody wrote it, as one part."""
    return Formula(text)
