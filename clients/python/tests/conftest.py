"""A real service, which whoever runs the tests has started: VITRINE_URL and VITRINE_KEY."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from vitrine_client import Vitrine

PICTURES = Path(__file__).parents[3] / "examples" / "pictures"


@pytest.fixture
def boats() -> Path:
    return PICTURES / "nagasaki-boats.jpg"


@pytest.fixture
def address() -> tuple[str, str]:
    return os.environ["VITRINE_URL"], os.environ["VITRINE_KEY"]


@pytest.fixture
def vitrine(address: tuple[str, str]) -> Iterator[Vitrine]:
    with Vitrine(*address) as client:
        yield client
