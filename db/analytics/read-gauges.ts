import type { EnvironmentTransaction } from '../client.ts';

/** Counting ends here, so that a gauge costs the same however much is live. */
export const GAUGE_MAX = 10_000;

/** How many records there are now. */
export interface Gauge {
  count: number;
  /** There may be more. */
  isCapped: boolean;
}

/** What can be counted as it stands now, each from an index of the live rows. */
const LIVE = {
  // Those under way are few, and an index by id alone holds them; the many that wait for a decision have an approval each.
  invocationsPending: `SELECT 1 FROM (
      SELECT i.id FROM invocations i WHERE i.environment_id = current_environment_id() AND i.status IN ('queued', 'dispatching')
      UNION ALL SELECT a.id FROM approvals a
        WHERE a.environment_id = current_environment_id() AND a.status = 'pending' AND a.kind = 'invocation') p`,
  effectsUnknown: `SELECT 1 FROM effects WHERE environment_id = current_environment_id() AND grade = 'unknown'`,
  effectsPending: `SELECT 1 FROM effects WHERE environment_id = current_environment_id() AND grade = 'pending'`,
  approvalsPending: `SELECT 1 FROM approvals WHERE environment_id = current_environment_id() AND status = 'pending'`,
  messagesPending: `SELECT 1 FROM messages
    WHERE environment_id = current_environment_id() AND status IN ('pending', 'scheduled', 'processing')`,
  messagesPendingAlone: `SELECT 1 FROM messages WHERE environment_id = current_environment_id() AND status = 'pending'`,
  messagesScheduled: `SELECT 1 FROM messages WHERE environment_id = current_environment_id() AND status = 'scheduled'`,
  messagesProcessing: `SELECT 1 FROM messages WHERE environment_id = current_environment_id() AND status = 'processing'`,
  schedulesActive: `SELECT 1 FROM schedules
    WHERE environment_id = current_environment_id() AND deleted_at IS NULL AND NOT paused`,
  runsRunning: `SELECT 1 FROM runs WHERE environment_id = current_environment_id() AND status = 'running'`,
  deadLetters: `SELECT 1 FROM dead_letters WHERE environment_id = current_environment_id()`,
} as const;
export type GaugeName = keyof typeof LIVE;

/** Counts each, in one statement. */
export async function readGauges<Name extends GaugeName>(
  tx: EnvironmentTransaction,
  names: readonly Name[],
): Promise<Record<Name, Gauge>> {
  const counted = names.map((name) => `(SELECT CAST(count(*) AS int) FROM (${LIVE[name]} LIMIT :most) l) AS "${name}"`);
  const { rows } = await tx.raw<{ rows: Record<Name, number>[] }>(`SELECT ${counted.join(', ')}`, {
    most: GAUGE_MAX + 1,
  });
  const row = rows[0];
  if (row === undefined) throw new Error('a count answers one row');
  const gauges = names.map((name) => [
    name,
    { count: Math.min(row[name], GAUGE_MAX), isCapped: row[name] > GAUGE_MAX } satisfies Gauge,
  ]);
  return Object.fromEntries(gauges) as Record<Name, Gauge>;
}

/** When the oldest effect that is unknown now became so; null when none is. Only the oldest 10,000 by creation are looked at. */
export async function oldestUnknownAt(tx: EnvironmentTransaction): Promise<Date | null> {
  const { rows } = await tx.raw<{ rows: { at: Date | null }[] }>(
    `SELECT min(u.unknown_at) AS at FROM (
       SELECT unknown_at FROM effects WHERE environment_id = current_environment_id() AND grade = 'unknown'
       ORDER BY created_at, id LIMIT :most) u`,
    { most: GAUGE_MAX },
  );
  return rows[0]?.at ?? null;
}
