"""What an operation has done so far."""

from __future__ import annotations

from typing import Literal

from .models import Model


class OperationEvent(Model):
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
