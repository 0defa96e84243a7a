import { hash, randomInt } from 'node:crypto';
import { newId } from '../../domain/ids.ts';
import { DEFAULT_KEY_SCOPES, type KeyPreset, PRESET_SCOPES, type Scope } from '../../domain/scopes.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';

/** The format of a key: docs/identity.md, "API keys". */
export const API_KEY_PREFIX = 'service_live_';
const RANDOM_CHARACTERS = 32;
/** The part of a key that a list may show. */
const SHOWN_CHARACTERS = 18;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new key with 190 bits of entropy from the system's generator. `randomInt` is uniform: it rejects instead of folding. */
export function generateApiKey(): string {
  let key = API_KEY_PREFIX;
  for (let position = 0; position < RANDOM_CHARACTERS; position++) key += BASE62.charAt(randomInt(BASE62.length));
  return key;
}

/** The only form in which a key is stored. The key's entropy makes a salt or a slow hash unnecessary. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function shownPrefixOf(key: string): string {
  return key.slice(0, SHOWN_CHARACTERS);
}

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
  const row = await tx.row<{ created_at: Date; expires_at: Date | null }>(
    'create_api_key',
    `INSERT INTO api_keys (id, workspace_id, environment_id, name, key_hash, key_prefix, preset, scopes, expires_at, created_by)
     VALUES (?, current_workspace_id(), current_environment_id(), ?, ?, ?, ?, ?, ?, ?)
     RETURNING created_at, expires_at`,
    [id, input.name, hashApiKey(key), shownPrefixOf(key), preset, scopes, input.expiresAt ?? null, createdBy],
  );
  if (row === null) throw new Error('the new API key was not stored');
  const record = { id, name: input.name, keyPrefix: shownPrefixOf(key), preset, scopes, createdBy };
  return { record: { ...record, createdAt: row.created_at, expiresAt: row.expires_at }, key };
}

function scopesOf(preset: KeyPreset | null, named: readonly Scope[] | undefined): Scope[] {
  if (preset === null) return [...new Set(named ?? DEFAULT_KEY_SCOPES)];
  return [...new Set([...PRESET_SCOPES[preset], ...(named ?? [])])];
}

/** A key as the workspace's list shows it (docs/identity.md, "API keys"). */
export interface ListedApiKey {
  id: string;
  name: string;
  keyPrefix: string;
  isActive: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** The member who created it; null for the operator. */
  createdBy: string | null;
}

/** The keys of all environments of the transaction's workspace, newest first, including revoked ones. */
export async function listApiKeys(tx: WorkspaceTransaction, range: Range): Promise<Page<ListedApiKey>> {
  return pageOf(tx, {
    name: 'list_api_keys',
    columns: `id, name, key_prefix AS "keyPrefix", revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS "isActive",
        created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", created_by AS "createdBy"`,
    from: 'api_keys',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}

/**
 * Revokes a key of the transaction's workspace permanently. Every request looks its key up, so the next request with it fails on
 * every process. Returns the key's environment, or null where there is no such key. A second call keeps the first timestamp.
 */
export async function revokeApiKey(
  tx: WorkspaceTransaction,
  keyId: string,
): Promise<{ environmentId: string; name: string; isNew: boolean } | null> {
  const row = await tx.row<{ environmentId: string; name: string; wasRevoked: boolean }>(
    'revoke_api_key',
    `WITH held AS (SELECT id, revoked_at FROM api_keys WHERE id = :keyId FOR NO KEY UPDATE)
     UPDATE api_keys k SET revoked_at = COALESCE(k.revoked_at, now()) FROM held WHERE k.id = held.id
     RETURNING k.environment_id AS "environmentId", k.name, held.revoked_at IS NOT NULL AS "wasRevoked"`,
    { keyId },
  );
  return row === null ? null : { environmentId: row.environmentId, name: row.name, isNew: !row.wasRevoked };
}

/** The resolution of `last_used_at`. */
export const LAST_USED_PRECISION_SECONDS = 60;

/** Records that a key of the transaction's environment was used; writes at most once a minute for each key. */
export async function touchApiKey(tx: EnvironmentTransaction, keyId: string): Promise<void> {
  await tx.raw(
    'touch_api_key',
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= now() - ? * interval '1 second')`,
    [keyId, LAST_USED_PRECISION_SECONDS],
  );
}
