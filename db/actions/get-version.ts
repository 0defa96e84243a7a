import type { EnvironmentTransaction } from '../client.ts';
import { VERSION_COLUMNS, type ActionVersionRecord } from './records.ts';

export async function getActionVersion(
  tx: EnvironmentTransaction,
  versionId: string,
): Promise<ActionVersionRecord | null> {
  const rows = await tx('action_versions').select<ActionVersionRecord[]>(VERSION_COLUMNS).where({ id: versionId });
  return rows[0] ?? null;
}
