from __future__ import annotations

import random
import sys
from datetime import date

import pytest

from vitrine_client import Vitrine, f


@pytest.mark.parametrize(
    "built, expected",
    [
        (f.eq("country", 'Sp"ain'), 'country="Sp\\"ain"'),
        (f.eq("width", 1e21) | f.gt("width", -5), "width=1000000000000000000000 OR width>-5"),
        (f.between("date", "2023-06", date(2024, 2, 1)), "date:2023-06..2024-02-01"),
        (f.all_of("keywords", ["dog", "beach"]), 'keywords:("dog" AND "beach")'),
        (f.words("sunset R&B"), "sunset AND R\\&B"),
        (f.similar_to({"text": "a red car"}, by="scene", min_score=0.5), 'i~~~text:"a red car"@0.5'),
        (~f.eq("nsfw", True) & f.raw("a OR b"), "(NOT nsfw=true) AND (a OR b)"),
    ],
)
def test_writes(built: f.Formula, expected: str) -> None:
    assert str(built) == expected


@pytest.mark.parametrize("value", ["", "a\0", "\ud800", float("nan")])
def test_refuses_what_no_formula_can_have(value: str) -> None:
    with pytest.raises(ValueError):
        f.eq("country", value)


def test_the_service_reads_every_value_as_it_was_written(vitrine: Vitrine) -> None:
    chance = random.Random(7)
    signs = [*'()"“”\\:=!<>~*|&,.-@ \n\t\u0085\u00a0ñ🌅\'’', *map(chr, chance.sample(range(32, sys.maxunicode), 60))]
    for _ in range(40):
        text = "".join(chance.choices(signs, k=chance.randint(1, 6)))
        try:
            formula = f.eq("title", text) & f.words(text)
        except ValueError:
            continue
        clauses = vitrine.explain(formula).clauses
        assert clauses[0].kind == "and", formula
        assert len([clause for clause in clauses if clause.kind == "term"]) == 1 + len(text.split()), formula
