"""Verification of receipts without the service. docs/receipts.md says which bytes are hashed."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, TypedDict

Record = Mapping[str, Any]


class ReceiptHead(TypedDict):
    sequence: int
    hash: str


class ReceiptBreak(TypedDict):
    """The first fault of a chain."""

    sequence: Optional[int]
    """Null for a record without an entry."""
    problem: str
    """``content``, ``link``, ``end`` or ``unchained``."""
    kind: Optional[str]
    recordId: Optional[str]


class CheckedRecords(TypedDict):
    evidence: int
    attempts: int
    resolutions: int


class VerifiedReceipt(TypedDict):
    """As ``GET /api/v2/actions/effects/{id}/verify`` answers."""

    valid: bool
    entries: int
    checked: CheckedRecords
    head: Optional[ReceiptHead]
    brokenAt: Optional[ReceiptBreak]


class _Entry(NamedTuple):
    sequence: int
    kind: str
    previous_hash: Optional[str]
    hash: str
    record: Record
    intact: bool


def verify_receipt(effect: Record, kept_head: Optional[Mapping[str, Any]] = None) -> VerifiedReceipt:
    """Computes the chain of an effect's evidence, attempts and resolution anew.

    ``effect`` is what ``GET /api/v2/actions/effects/{id}`` answers. ``kept_head`` is a head that you kept earlier: the chain of
    today must still have that entry. Without one, a chain that was rewritten as a whole, or cut off at its end, looks whole.

    It does not raise for a broken chain; a value that is no effect is a TypeError.
    """
    records = list(_records_of(effect))
    entries = sorted(
        (_entry_of(effect, record, entry) for _, record in records for entry in record["chain"]),
        key=lambda entry: entry.sequence,
    )
    breaks = [*_breaks_of(entries), *_unchained(records), *_missing_head(entries, kept_head)]
    breaks.sort(key=lambda each: (each["sequence"] is None, each["sequence"] or 0, each["problem"], each["recordId"] or ""))
    intact = [entry for entry in entries if entry.intact]
    return {
        "valid": not breaks,
        "entries": len(entries),
        "checked": {
            "evidence": sum(entry.kind == "evidence" for entry in intact),
            "attempts": len({entry.record["id"] for entry in intact if entry.kind.startswith("attempt")}),
            "resolutions": sum(entry.kind == "resolution" for entry in intact),
        },
        "head": {"sequence": entries[-1].sequence, "hash": entries[-1].hash} if entries else None,
        "brokenAt": breaks[0] if breaks else None,
    }


def canonical_text(value: Any) -> str:
    """PostgreSQL's text of a jsonb value: keys by their length in bytes and then by their bytes, no exponents."""
    if isinstance(value, Mapping):
        keys = sorted(value, key=_order_of)
        return "{" + ", ".join(f"{_quoted(key)}: {canonical_text(value[key])}" for key in keys) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(canonical_text, value)) + "]"
    if isinstance(value, float):
        return _plain_decimal(value)
    return _quoted(value)


def _order_of(key: str) -> Tuple[int, bytes]:
    encoded = key.encode("utf-8", "surrogatepass")
    return len(encoded), encoded


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain_decimal(value: float) -> str:
    """The shortest digits that are this number, as every implementation of JSON writes them."""
    if value.is_integer():
        return str(int(Decimal(repr(value))))
    return format(Decimal(repr(value)), "f")


def _records_of(effect: Record) -> Iterator[Tuple[str, Record]]:
    if not isinstance(effect, Mapping):
        raise TypeError("an effect is an object, as GET /api/v2/actions/effects/{id} answers it")
    for name in ("id", "environmentId"):
        if not isinstance(effect.get(name), str):
            raise TypeError(f"an effect has a text as its {name}")
    resolution = effect.get("resolution")
    for kind, records in (
        ("evidence", effect.get("evidence")),
        ("attempt", effect.get("attempts")),
        ("resolution", [] if resolution is None else [resolution]),
    ):
        if not isinstance(records, list):
            raise TypeError(f"an effect has a list of its {kind} records")
        for record in records:
            if not isinstance(record, Mapping) or not isinstance(record.get("chain"), list):
                raise TypeError(f"a record of {kind} has its chain: read the effect by its id, because lists leave it out")
            yield kind, record


def _entry_of(effect: Record, record: Record, entry: Any) -> _Entry:
    try:
        sequence, kind, previous, hash = (entry[name] for name in ("sequence", "kind", "previousHash", "hash"))
    except (KeyError, TypeError):
        raise TypeError("an entry of a chain has sequence, kind, previousHash and hash") from None
    if isinstance(sequence, bool) or not isinstance(sequence, int) or not isinstance(kind, str):
        raise TypeError("an entry of a chain has a number as its sequence and a text as its kind")
    content = _content_of(kind, record)
    text = None if content is None else canonical_text([previous, effect["environmentId"], effect["id"], sequence, kind, content])
    intact = text is not None and hash == _hash_of(text)
    return _Entry(sequence, kind, previous, hash, record, intact)


def _hash_of(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content_of(kind: str, record: Record) -> Optional[Dict[str, Any]]:
    """What is hashed of a record, by the kind of the entry. None: the kind is unknown, or the record has nothing of it."""
    if kind in ("evidence", "resolution"):
        return {name: value for name, value in record.items() if name != "chain"}
    if kind == "attempt_started":
        return _pick(record, "id", "number", "kind", "secretVersions", "startedAt")
    if kind == "attempt_claimed":
        return _pick(record, "id", "claimedAt")
    if kind == "attempt_ended":
        return _pick(record, "id", "status", "observedOutcome", "refusal", "error", "responseDigest", "finishedAt")
    late = record.get("lateAnswer")
    if kind == "late_answer" and isinstance(late, Mapping):
        return {"id": record.get("id"), **late}
    return None


def _pick(record: Record, *names: str) -> Dict[str, Any]:
    return {name: record.get(name) for name in names}


def _breaks_of(entries: List[_Entry]) -> Iterator[ReceiptBreak]:
    previous: Optional[str] = None
    for place, entry in enumerate(entries, start=1):
        if not entry.intact:
            yield _break_at(entry, "content")
        if entry.sequence != place or entry.previous_hash != previous:
            yield _break_at(entry, "link")
        previous = entry.hash


def _break_at(entry: _Entry, problem: str) -> ReceiptBreak:
    return {"sequence": entry.sequence, "problem": problem, "kind": entry.kind, "recordId": entry.record.get("id")}


def _unchained(records: List[Tuple[str, Record]]) -> Iterator[ReceiptBreak]:
    for kind, record in records:
        present = {entry["kind"] for entry in record["chain"]}
        for due in _due_of(kind, record):
            if due not in present:
                yield {"sequence": None, "problem": "unchained", "kind": due, "recordId": record.get("id")}


def _due_of(kind: str, record: Record) -> Iterator[str]:
    """The entries that a record must have."""
    if kind != "attempt":
        yield kind
        return
    yield "attempt_started"
    if record.get("claimedAt") is not None:
        yield "attempt_claimed"
    if record.get("status") != "started":
        yield "attempt_ended"
    if record.get("lateAnswer") is not None:
        yield "late_answer"


def _missing_head(entries: List[_Entry], kept_head: Optional[Mapping[str, Any]]) -> Iterator[ReceiptBreak]:
    if kept_head is None:
        return
    kept = kept_head["sequence"]
    if not any(entry.sequence == kept and entry.hash == kept_head["hash"] for entry in entries):
        yield {"sequence": kept, "problem": "end", "kind": None, "recordId": None}
