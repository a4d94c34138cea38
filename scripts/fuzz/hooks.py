"""What the contract answers on purpose although a schema cannot say it; everything else stays a failure."""

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import (
    AllowHeaderMismatch,
    EnsureResourceAvailability,
    RejectedPositiveData,
    UseAfterFree,
)

# In JSON bodies too, a boolean is read from these (pydantic's lax mode).
LAX_BOOLEANS = {"1", "true", "t", "yes", "y", "on", "0", "false", "f", "no", "n", "off"}

# Values whose meaning is checked after their shape: formulas and their names, cursors, depths, sort orders that need a
# formula, pictures, files and their names, pairs, times that the history reaches back to, what is given in place of
# something else, names of fields and kinds, conditions of several records or that exclude each other.
MEANINGS = {
    ("query", "q"),
    ("query", "cursor"),
    ("query", "page"),
    ("query", "sort_by"),
    ("query", "at"),
    ("path", "second_id"),
    ("body", "image"),
    ("body", "image_url"),
    ("body", "file"),
    ("body", "q"),
    ("body", "ids"),
    ("body", "formulas"),
    ("body", "kinds"),
    ("body", "fields"),
    ("body", "url"),
    ("body", "versions"),
    ("query", "name"),
    ("header", "If-Match"),
    ("header", "If-None-Match"),
}


def boolean_fields(raw_schema):
    """Names of every boolean field of a body, from the document itself."""
    for schema in raw_schema["components"]["schemas"].values():
        for name, field in schema.get("properties", {}).items():
            kind = field.get("type", [])
            if "boolean" in ([kind] if isinstance(kind, str) else kind):
                yield name


def reads_as_boolean(value):
    if isinstance(value, str):
        return value.lower() in LAX_BOOLEANS
    return not isinstance(value, bool) and isinstance(value, (int, float)) and value in (0, 1)


def has_lax_boolean(body, names):
    items = body if isinstance(body, list) else [body]
    return any(isinstance(item, dict) and any(reads_as_boolean(item.get(name)) for name in names) for item in items)


def is_about_meaning(response):
    """Refused for what it means; the same Idempotency-Key with another request is such a thing too."""
    body = response.json()
    if response.status_code == 400:
        return body.get("code") == "invalid_input_combination"
    if response.status_code == 412:
        return body.get("code") == "precondition_failed"
    if response.status_code == 415:
        return body.get("code") == "unsupported_media"  # A file in the right field of a form, but no picture.
    if body.get("code") == "idempotency_key_reused":
        return True
    detail = body.get("detail") if response.status_code == 422 else None
    return isinstance(detail, list) and all(tuple(fault["loc"]) in MEANINGS for fault in detail)


def has_formula(case):
    """With a formula a write takes an object, or nothing, in place of the list that the document asks for."""
    return case.method in ("PATCH", "DELETE") and "q" in (case.query or {})


def lacks_records(case):
    """A deletion needs a list or a formula, so the document asks for neither."""
    return case.method == "DELETE" and not isinstance(case.body, list) and "q" not in (case.query or {})


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.query and (case.method == "DELETE" or case.operation.path.startswith("/webhooks")):
        case.query.pop("dry_run", None)  # What it deletes is still there, what it creates is not: both look like faults.


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if isinstance(failure, AcceptedNegativeData):
        if case.headers and case.headers.get("Last-Event-ID") == "":
            return False  # An empty one is what a browser sends that has seen nothing.
        if case.media_type == "multipart/form-data":
            return False  # A form has nothing but texts: there is no wrong type to send.
        if has_formula(case):
            return False
        return not has_lax_boolean(case.body, set(boolean_fields(case.operation.schema.raw_schema)))
    if isinstance(failure, RejectedPositiveData):
        return not (is_about_meaning(response) or has_formula(case) or lacks_records(case))
    if isinstance(failure, AllowHeaderMismatch):
        # `delete` and `explain` can be ids of records, so those paths have the methods of a record as well.
        return not case.operation.path.endswith(("/delete", "/explain"))
    if isinstance(failure, UseAfterFree):
        if response.status_code == 202:
            return False  # A write to a record that is gone is accepted like any other; its operation tells.
        return not case.operation.path.startswith("/ops/")  # To abort an operation is not to forget it.
    if isinstance(failure, EnsureResourceAvailability):
        return not case.operation.path.endswith("/poster")  # A video whose pictures cannot be read has none.
    return True
