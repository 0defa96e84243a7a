import { ERROR_TABLE } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { errorTypeOf } from '../sdk-tables.ts';
import { docstring, literal, pascalCase } from './names.ts';
import { keyedOperations, methodText, pythonOperations, type PythonOperation } from './operations.ts';
import { PythonTypes } from './types.ts';

const PACKAGE = 'sdk/python/src/agent_action_runtime';
const NOTE = 'Made by `npm run openapi`; do not change it by hand.';

export function pythonFiles(document: JsonObject): Record<string, string> {
  const types = new PythonTypes(document);
  const operations = pythonOperations(document, types);
  return {
    [`${PACKAGE}/types.py`]: types.text(),
    [`${PACKAGE}/_operations.py`]: operationsModule(operations, types, false),
    [`${PACKAGE}/_async_operations.py`]: operationsModule(operations, types, true),
    [`${PACKAGE}/_operation_table.py`]: tableModule(document),
    [`${PACKAGE}/_api_errors.py`]: errorsModule(),
  };
}

function operationsModule(operations: readonly PythonOperation[], types: PythonTypes, isAsync: boolean): string {
  const areas = byArea(operations);
  const [word, prefix] = isAsync ? ['async def', 'Async'] : ['def', ''];
  const classes = [...areas].map(([area, members]) =>
    [
      `class ${prefix}${pascalCase(area)}Operations:`,
      '    def __init__(self, caller: Caller) -> None:',
      '        self._caller = caller',
      ...members.flatMap((member) => ['', methodText(member, isAsync)]),
    ].join('\n'),
  );
  const attributes = [...areas.keys()].map(
    (area) => `        self.${area} = ${prefix}${pascalCase(area)}Operations(caller)`,
  );
  const text = [...classes, ''].join('\n\n\n');
  const used = types.names.filter((name) => new RegExp(`\\b${name}\\b(?!")`).test(text));
  return [
    `"""Every operation that an API key may call, by its area. ${NOTE}"""`,
    '',
    '# mypy: disable-error-code="no-any-return"',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Dict, List, Literal, Mapping, Optional, Protocol, Union',
    '',
    'from ._requests import Page',
    'from .types import (',
    ...used.map((name) => `    ${name},`),
    ')',
    '',
    '',
    'class Caller(Protocol):',
    `    ${word} call(self, method: str, path: str, *, path_params: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, Any]] = None, body: Any = None, idempotency_key: Optional[str] = None) -> Any: ...`,
    '',
    `    ${word} call_page(self, path: str, *, path_params: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, Any]] = None) -> Page[Any]: ...`,
    '',
    '',
    text.trimEnd(),
    '',
    '',
    `class ${prefix}Operations:`,
    '    def __init__(self, caller: Caller) -> None:',
    ...attributes,
    '',
  ].join('\n');
}

function byArea(operations: readonly PythonOperation[]): Map<string, PythonOperation[]> {
  const areas = new Map<string, PythonOperation[]>();
  for (const operation of operations) areas.set(operation.area, [...(areas.get(operation.area) ?? []), operation]);
  return areas;
}

function tableModule(document: JsonObject): string {
  return [
    `"""The operations that take an Idempotency-Key: their methods and paths. ${NOTE}"""`,
    '',
    'from typing import FrozenSet, Tuple',
    '',
    'IDEMPOTENT_OPERATIONS: FrozenSet[Tuple[str, str]] = frozenset(',
    '    {',
    ...keyedOperations(document).map((operation) => `        ${operation},`),
    '    }',
    ')',
    '',
  ].join('\n');
}

function errorsModule(): string {
  const entries = Object.entries(ERROR_TABLE);
  return [
    `"""An error for each code of the service. ${NOTE}"""`,
    '',
    'from typing import Dict, Type',
    '',
    'from ._errors import ApiError',
    '',
    ...entries.flatMap(([code, { message }]) => [
      '',
      `class ${errorTypeOf(code)}(ApiError):`,
      ...docstring(`${code}. ${message}`, '    '),
      '',
    ]),
    '',
    'ERROR_TYPES: Dict[str, Type[ApiError]] = {',
    ...entries.map(([code]) => `    ${literal(code)}: ${errorTypeOf(code)},`),
    '}',
    '',
    `__all__ = [${entries.map(([code]) => literal(errorTypeOf(code))).join(', ')}]`,
    '',
  ].join('\n');
}
