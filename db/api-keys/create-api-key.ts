import { newId } from '../../domain/ids.ts';
import { DEFAULT_KEY_SCOPES, PRESET_SCOPES, type KeyPreset, type Scope } from '../../domain/scopes.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { generateApiKey, hashApiKey, shownPrefixOf } from './api-key.ts';

export interface NewApiKey {
  name: string;
  /** Without a preset and without scopes, the key holds every scope that is not privileged. Scopes beside a preset are added to it. */
  preset?: KeyPreset | null;
  scopes?: readonly Scope[];
  expiresAt?: Date | null;
  /** The member who creates the key; it never changes. Null for the operator at the command line. */
  createdBy?: string | null;
}

export interface ApiKeyRecord {
  id: string;
  name: string;
  keyPrefix: string;
  preset: KeyPreset | null;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  createdBy: string | null;
}

/**
 * Creates a key in the transaction's environment. This is the only time that the key itself is returned; only its hash is stored.
 */
export async function createApiKey(
  tx: EnvironmentTransaction,
  input: NewApiKey,
): Promise<{ record: ApiKeyRecord; key: string }> {
  const key = generateApiKey();
  const preset = input.preset ?? null;
  const scopes = scopesOf(preset, input.scopes);
  const id = newId('apiKey');
  const createdBy = input.createdBy ?? null;
  const { rows } = await tx.raw<{ rows: { created_at: Date; expires_at: Date | null }[] }>(
    `INSERT INTO api_keys (id, workspace_id, environment_id, name, key_hash, key_prefix, preset, scopes, expires_at, created_by)
     VALUES (?, current_workspace_id(), current_environment_id(), ?, ?, ?, ?, ?, ?, ?)
     RETURNING created_at, expires_at`,
    [id, input.name, hashApiKey(key), shownPrefixOf(key), preset, scopes, input.expiresAt ?? null, createdBy],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the new API key was not stored');
  const record = { id, name: input.name, keyPrefix: shownPrefixOf(key), preset, scopes, createdBy };
  return { record: { ...record, createdAt: row.created_at, expiresAt: row.expires_at }, key };
}

function scopesOf(preset: KeyPreset | null, named: readonly Scope[] | undefined): Scope[] {
  if (preset === null) return [...new Set(named ?? DEFAULT_KEY_SCOPES)];
  return [...new Set([...PRESET_SCOPES[preset], ...(named ?? [])])];
}
