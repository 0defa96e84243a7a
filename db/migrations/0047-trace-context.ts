import type { Knex } from 'knex';

export const name = '0047-trace-context';

/**
 * The span that a record was made under, as `traceparent` of W3C Trace Context: its work goes on under it, in other processes. A traced
 * transaction says it in a setting of its own (db/scope.ts), so that each statement that makes such a row need not; null where nothing is
 * traced.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES.map(columnOf).join(''));
}

const TABLES = ['invocations', 'approvals', 'messages', 'events'];

const columnOf = (table: string): string => `
  ALTER TABLE ${table} ADD COLUMN trace_context text CHECK (trace_context ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');
  ALTER TABLE ${table} ALTER COLUMN trace_context SET DEFAULT NULLIF(current_setting('app.trace_context', true), '');
`;
