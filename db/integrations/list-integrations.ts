import type { EnvironmentTransaction } from '../client.ts';
import { INTEGRATION_COLUMNS, type IntegrationRecord } from './records.ts';

/** Newest first, ties by id. */
export async function listIntegrations(
  tx: EnvironmentTransaction,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: IntegrationRecord[]; total: number }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    'SELECT count(*)::int AS total FROM integrations i WHERE i.environment_id = current_environment_id()',
  );
  const { rows } = await tx.raw<{ rows: IntegrationRecord[] }>(
    `SELECT ${INTEGRATION_COLUMNS} FROM integrations i WHERE i.environment_id = current_environment_id()
     ORDER BY i.created_at DESC, i.id DESC LIMIT :limit OFFSET :offset`,
    { limit, offset },
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
