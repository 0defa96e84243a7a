import type { GroupName } from '../../domain/analytics/metrics.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The groups whose keys are ids of things with a name. */
const NAMED: Partial<Record<GroupName, string>> = {
  action: 'SELECT id, name FROM actions WHERE id = ANY (CAST(:ids AS text[]))',
  policy: 'SELECT id, name FROM approval_policies WHERE id = ANY (CAST(:ids AS text[]))',
  schedule: 'SELECT id, name FROM schedules WHERE id = ANY (CAST(:ids AS text[]))',
};

/** The names of the keys of a group, by key. Keys that are no ids, or of what is gone, have none. */
export async function readNames(
  tx: EnvironmentTransaction,
  group: GroupName,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = NAMED[group];
  if (sql === undefined || ids.length === 0) return new Map();
  const { rows } = await tx.raw<{ rows: { id: string; name: string | null }[] }>({ variantsOf: 'read_names' }, sql, {
    ids,
  });
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
}
