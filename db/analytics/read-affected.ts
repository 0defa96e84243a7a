import type { ErrorArea } from '../../domain/analytics/kinds.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What an error was about: an action, a destination, a subscription, a schedule, an agent or an integration. */
export interface Affected {
  type: AffectedType;
  id: string;
  name: string | null;
}

export const AFFECTED_TYPES = ['action', 'destination', 'subscription', 'schedule', 'agent', 'integration'] as const;
export type AffectedType = (typeof AFFECTED_TYPES)[number];

interface Row {
  sampleId: string;
  id: string;
  name: string | null;
}

interface Lookup {
  type: AffectedType;
  /** Finds the records of `:ids` by their primary keys. */
  sql: string;
}

const ACTIONS: Lookup = {
  type: 'action',
  sql: `SELECT i.id AS "sampleId", a.id, a.name FROM invocations i JOIN actions a ON a.id = i.action_id WHERE i.id = ANY (:ids)`,
};

const LOOKUPS: Record<ErrorArea, Lookup> = {
  invocation: ACTIONS,
  dispatch: ACTIONS,
  delivery: {
    type: 'destination',
    sql: `SELECT m.id AS "sampleId", m.url AS id, NULL AS name FROM messages m WHERE m.id = ANY (:ids)`,
  },
  subscription: {
    type: 'subscription',
    sql: `SELECT m.id AS "sampleId", m.subscription_id AS id, m.url AS name FROM messages m
      WHERE m.id = ANY (:ids) AND m.subscription_id IS NOT NULL`,
  },
  schedule: {
    type: 'schedule',
    sql: `SELECT s.id AS "sampleId", s.id, s.name FROM schedules s WHERE s.id = ANY (:ids)`,
  },
  run: {
    type: 'agent',
    sql: `SELECT r.id AS "sampleId", r.agent_id AS id, NULL AS name FROM runs r WHERE r.id = ANY (:ids) AND r.agent_id IS NOT NULL`,
  },
  integration: {
    type: 'integration',
    sql: `SELECT p.approval_id AS "sampleId", i.id, i.name FROM chat_posts p JOIN integrations i ON i.id = p.integration_id
      WHERE p.approval_id = ANY (:ids) AND p.status = 'refused'`,
  },
};

/** What the sampled records of an area are about, by the id of the record; a record that is no longer kept has nothing. */
export async function readAffected(
  tx: EnvironmentTransaction,
  area: ErrorArea,
  sampleIds: readonly string[],
): Promise<Map<string, Affected[]>> {
  const found = new Map<string, Affected[]>();
  if (sampleIds.length === 0) return found;
  const { type, sql } = LOOKUPS[area];
  const { rows } = await tx.raw<{ rows: Row[] }>({ variantsOf: 'read_affected' }, sql, { ids: sampleIds });
  for (const { sampleId, id, name } of rows) found.set(sampleId, [...(found.get(sampleId) ?? []), { type, id, name }]);
  return found;
}
