"""Client of Vitrine, the media catalog. ``Vitrine`` is sync, ``AsyncVitrine`` has the same methods for asyncio."""

from . import formula as f
from . import models
from ._async.client import AsyncVitrine
from ._async.operations import AsyncWrite
from ._sync.client import Vitrine
from ._sync.operations import Write
from .errors import FormulaMistake, OperationFailed, VitrineError
from .events import FormulaEvent, OperationEvent, SavedFormula
from .formula import Formula
from .tables import element_error_codes, error_codes, formula_error_codes, formula_fields

__all__ = [
    "AsyncVitrine",
    "AsyncWrite",
    "Formula",
    "FormulaEvent",
    "FormulaMistake",
    "OperationEvent",
    "OperationFailed",
    "SavedFormula",
    "Vitrine",
    "VitrineError",
    "Write",
    "element_error_codes",
    "error_codes",
    "f",
    "formula_error_codes",
    "formula_fields",
    "models",
]
