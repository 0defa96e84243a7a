import { createHash } from 'node:crypto';
import type { JsonObject } from '../../domain/json.ts';
import type { Role } from '../../domain/roles.ts';
import { isScope, type Scope } from '../../domain/scopes.ts';
import type { Database } from '../client.ts';
import { type CallerEnvironment, callerEnvironmentOf, type CallerEnvironmentRow } from '../environments/callers.ts';

/** Authorization requests, codes and tokens, by their names in oidc-provider. */
export const ARTIFACT_KINDS = ['Interaction', 'AuthorizationCode', 'AccessToken', 'RefreshToken'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export interface StoredArtifact {
  payload: JsonObject;
  consumedAt: Date | null;
}

/** The only form in which a code, a token or the id of an authorization request is stored. Its entropy makes a salt unnecessary. */
export function hashOfArtifact(value: string): Buffer {
  return createHash('sha256').update(value, 'utf8').digest();
}

/** `payload` holds nothing that would let its reader present the artifact. */
export async function putArtifact(
  db: Database,
  artifact: { value: string; kind: ArtifactKind; grantId: string | null; payload: JsonObject; expiresAt: Date },
): Promise<void> {
  await db.directory.raw('put_artifact', 'SELECT put_oauth_artifact(?, ?, ?, ?::jsonb, ?)', [
    hashOfArtifact(artifact.value),
    artifact.kind,
    artifact.grantId,
    JSON.stringify(artifact.payload),
    artifact.expiresAt,
  ]);
}

/** Finds expired and consumed ones too: the caller decides what that means. */
export async function findArtifact(db: Database, kind: ArtifactKind, value: string): Promise<StoredArtifact | null> {
  return db.directory.row<StoredArtifact>(
    'find_artifact',
    'SELECT payload, consumed_at AS "consumedAt" FROM find_oauth_artifact(?, ?)',
    [hashOfArtifact(value), kind],
  );
}

/** False for the second caller. */
export async function consumeArtifact(db: Database, kind: ArtifactKind, value: string): Promise<boolean> {
  const row = await db.directory.row<{ consumed: boolean }>(
    'consume_artifact',
    'SELECT consume_oauth_artifact(?, ?) AS consumed',
    [hashOfArtifact(value), kind],
  );
  return row?.consumed === true;
}

export async function deleteArtifact(db: Database, kind: ArtifactKind, value: string): Promise<void> {
  await db.directory.raw('delete_artifact', 'SELECT delete_oauth_artifact(?, ?)', [hashOfArtifact(value), kind]);
}

/** What the holder of an access token may do now. It does not contain the token. */
export interface AccessTokenGrant {
  grantId: string;
  userId: string;
  clientId: string;
  role: Role;
  workspaceId: string;
  environment: CallerEnvironment;
  /** The URL of the resource that the token is for. */
  audience: string;
  scopes: ReadonlySet<Scope>;
  expiresAt: Date;
  lastUsedAt: Date | null;
}

interface Row extends CallerEnvironmentRow {
  grant_id: string;
  user_id: string;
  client_id: string;
  role: Role;
  workspace_id: string;
  resource: string;
  scope: string | null;
  expires_at: Date;
  last_used_at: Date | null;
}

/** Null where it is unknown or expired, its grant has ended, or its user is no longer the member who consented. */
export async function findAccessToken(db: Database, token: string): Promise<AccessTokenGrant | null> {
  const row = await db.directory.row<Row>('find_access_token', 'SELECT * FROM find_oauth_access_token(?)', [
    hashOfArtifact(token),
  ]);
  if (row === null) return null;
  return {
    grantId: row.grant_id,
    userId: row.user_id,
    clientId: row.client_id,
    role: row.role,
    workspaceId: row.workspace_id,
    environment: callerEnvironmentOf(row),
    audience: row.resource,
    scopes: new Set((row.scope ?? '').split(' ').filter(isScope)),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
