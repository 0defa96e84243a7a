import type { Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../temporal/search-attributes.ts';
import { untilItAnswers } from './until-it-answers.ts';

const NAMES: string[] = Object.values(SEARCH_ATTRIBUTES).map((key) => key.name);

/** From temporal.api.enums.v1: the package is CommonJS, which gives an ES module its types only. */
const INDEXED_VALUE_TYPE_KEYWORD = 2 satisfies temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

type Operator = Pick<Connection, 'operatorService'>;
export type OperatorConnection = Pick<Connection, 'operatorService' | 'workflowService'>;

/**
 * Registers the search attributes that are missing, waits until the server accepts them in a query, and returns their names.
 * Safe to run again.
 */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = NAMES.filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length > 0) await addSearchAttributes(connection, namespace, missing);
  await untilQueryable(connection, namespace);
  return missing;
}

/** The bare call, for a new time-skipping server: that server can neither list nor query them. */
export async function addSearchAttributes(connection: Operator, namespace: string, names = NAMES): Promise<void> {
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(names.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
  });
}

/** The server's caches see a new attribute a little later; until then the server refuses a workflow that carries it. */
async function untilQueryable(connection: OperatorConnection, namespace: string): Promise<void> {
  const query = NAMES.map((name) => `${name} = 'none'`).join(' OR ');
  await untilItAnswers(() => connection.workflowService.countWorkflowExecutions({ namespace, query }));
}
