"""Hooks of Schemathesis: rows that exist, and the credential of each operation.

CONTRACT_WORLD names a JSON file: {"params": {operationId: [{name: value}]}, "headers": {operationId: {name: value}}}.
Without rows that exist nearly every reply would be a 404; with nothing else nothing strange would be asked for. So every
second case keeps what was generated. How many requests each operation got is written to CONTRACT_COUNTS at the end.
"""

import atexit
import collections
import json
import os
import zlib

import schemathesis

with open(os.environ["CONTRACT_WORLD"], encoding="utf-8") as file:
    WORLD = json.load(file)
COUNTS = collections.Counter()


def _operation_id(operation):
    return operation.definition.raw["operationId"]


@schemathesis.hook
def before_call(context, case, **kwargs):
    operation_id = _operation_id(case.operation)
    # A method that the operation does not have is a question about the path, and needs the credential as well.
    headers = WORLD["headers"].get(operation_id)
    if headers is not None:
        case.headers = {**(case.headers or {}), **headers}
    known = WORLD["params"].get(operation_id, [])
    if not known:
        return
    # By the case itself and not by chance: the same seed asks the same questions.
    digest = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode("utf-8", "replace"))
    if digest % 2 == 0:
        case.path_parameters = {**(case.path_parameters or {}), **known[digest // 2 % len(known)]}


@schemathesis.hook
def after_call(context, case, response):
    COUNTS[_operation_id(case.operation)] += 1


@atexit.register
def _write_counts():
    with open(os.environ["CONTRACT_COUNTS"], "w", encoding="utf-8") as file:
        json.dump(COUNTS, file)
