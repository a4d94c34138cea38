"""What streams tell, and saved formulas."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .models import Model


class OperationEvent(Model):
    """What an operation has done so far."""

    operation_id: int
    sequence: int
    type: Literal["queued", "started", "progress", "finished", "aborted"]
    at: str
    num_total: int
    num_good: int
    num_bad: int
    num_to_analyze: int = 0
    num_analyzed: int = 0
    num_analysis_bad: int = 0


class FormulaEvent(Model):
    """A record began or ceased to match a formula that watches."""

    number: int
    """It increases; pass it as ``after`` to continue after it."""
    kind: Literal["matched", "unmatched"]
    at: str
    formula: str
    resource: Literal["image", "video"]
    id: str
    deleted: bool


class SavedFormula(Model):
    """A formula that is saved under a name."""

    name: str
    formula: str
    watching: bool
    created_at: str = Field(alias="createdAt")
    updated_at: str = Field(alias="updatedAt")
