import type { EnvironmentTransaction } from '../client.ts';
import { SECRET_COLUMNS, type SecretRecord } from './records.ts';

export async function getSecret(tx: EnvironmentTransaction, name: string): Promise<SecretRecord | null> {
  const rows = await tx('secrets').select<SecretRecord[]>(SECRET_COLUMNS).where({ name }).whereNull('deleted_at');
  return rows[0] ?? null;
}
