import { LRUCache } from 'lru-cache';
import type { Database, Tenant } from '../../db/client.ts';
import { readTraceContext, type TracedRecord } from '../../db/tracing/trace-contexts.ts';

/** The steps of a record follow each other. */
const KNOWN_MAX = 10_000;
const NONE = '';
const known = new LRUCache<string, string>({ max: KNOWN_MAX });

const MEMBERS = ['invocationId', 'effectId', 'approvalId', 'messageId', 'eventId'] as const;

/** The record that an object names; null where it names none. */
export function recordIn(object: unknown): TracedRecord | null {
  const given = (object ?? {}) as Record<string, unknown>;
  const name = MEMBERS.find((member) => typeof given[member] === 'string');
  return name === undefined ? null : { [name]: given[name] as string };
}

/** Spares the look-up of a record that this process has just made. */
export function rememberContext(id: string, context: string): void {
  known.set(id, context);
}

/** Returns the `traceparent` that a record was made under, or null where it was not traced. It never changes. */
export async function contextOf(db: Database, tenant: Tenant, record: TracedRecord): Promise<string | null> {
  const [id = ''] = Object.values(record) as string[];
  const before = known.get(id);
  if (before !== undefined) return before === NONE ? null : before;
  const context = await db.oneStatement(tenant, (tx) => readTraceContext(tx, record));
  known.set(id, context ?? NONE);
  return context;
}
