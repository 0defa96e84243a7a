import { createHash } from 'node:crypto';
import type { JsonObject } from '../../domain/json.ts';
import type { Database } from '../client.ts';

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
  await db.directory.raw('SELECT put_oauth_artifact(?, ?, ?, ?::jsonb, ?)', [
    hashOfArtifact(artifact.value),
    artifact.kind,
    artifact.grantId,
    JSON.stringify(artifact.payload),
    artifact.expiresAt,
  ]);
}

/** Finds expired and consumed ones too: the caller decides what that means. */
export async function findArtifact(db: Database, kind: ArtifactKind, value: string): Promise<StoredArtifact | null> {
  const { rows } = await db.directory.raw<{ rows: StoredArtifact[] }>(
    'SELECT payload, consumed_at AS "consumedAt" FROM find_oauth_artifact(?, ?)',
    [hashOfArtifact(value), kind],
  );
  return rows[0] ?? null;
}

/** False for the second caller. */
export async function consumeArtifact(db: Database, kind: ArtifactKind, value: string): Promise<boolean> {
  const { rows } = await db.directory.raw<{ rows: { consumed: boolean }[] }>(
    'SELECT consume_oauth_artifact(?, ?) AS consumed',
    [hashOfArtifact(value), kind],
  );
  return rows[0]?.consumed === true;
}

export async function deleteArtifact(db: Database, kind: ArtifactKind, value: string): Promise<void> {
  await db.directory.raw('SELECT delete_oauth_artifact(?, ?)', [hashOfArtifact(value), kind]);
}
