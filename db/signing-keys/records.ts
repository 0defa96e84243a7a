import type { SealedSecret, SecretContext } from '../secrets/vault.ts';

/** A key as callers may see it: never its secret. */
export interface SigningKeyRecord {
  id: string;
  /** The first characters of the secret. */
  prefix: string;
  createdAt: Date;
  /** When it stops signing beside the newest key; null for the newest. */
  retiresAt: Date | null;
}

export type SealedSigningKey = { id: string } & SealedSecret;

export const SIGNING_KEY_COLUMNS = {
  id: 'signing_keys.id',
  prefix: 'signing_keys.prefix',
  createdAt: 'signing_keys.created_at',
  retiresAt: 'signing_keys.retires_at',
} as const;

export const SEALED_COLUMNS = {
  masterKeyVersion: 'master_key_version',
  wrappedDataKey: 'wrapped_data_key',
  sealedValue: 'sealed_value',
} as const;

/**
 * The associated data of a key's sealed secret. No secret of an environment has a name with a slash, so the two never
 * collide.
 */
export function signingKeyAssociatedData(workspaceId: string, signingKeyId: string): SecretContext {
  return { workspaceId, environmentId: '', name: `signing-key/${signingKeyId}`, version: 1 };
}
