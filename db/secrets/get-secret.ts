import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SECRET_COLUMNS, type SecretRecord } from './records.ts';

export async function getSecret(tx: EnvironmentTransaction, name: string): Promise<SecretRecord | null> {
  const { rows } = await tx.raw<{ rows: SecretRecord[] }>(
    `SELECT ${selected(SECRET_COLUMNS)} FROM secrets WHERE name = ? AND deleted_at IS NULL`,
    [name],
  );
  return rows[0] ?? null;
}
