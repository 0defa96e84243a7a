import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { addOAuthKey, listOAuthKeys, oauthKeyAssociatedData } from '../../db/oauth/signing-keys.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ApiDependencies } from '../dependencies.ts';

/** The one algorithm of ID tokens. Access tokens are opaque: their receiver looks them up, and so sees when one has ended. */
export const SIGNING_ALGORITHM = 'ES256';

/** The private keys as JWKs, the signing one first. The first process that asks makes one. */
export async function readSigningKeys({
  db,
  resealing,
}: Pick<ApiDependencies, 'db' | 'resealing'>): Promise<JsonObject[]> {
  if ((await listOAuthKeys(db)).length === 0) {
    const id = randomBytes(16).toString('base64url');
    const sealed = resealing.seal(oauthKeyAssociatedData(id), JSON.stringify(newPrivateKey(id)));
    await addOAuthKey(db, { id, ...sealed });
  }
  return (await listOAuthKeys(db)).map(({ id, ...sealed }) => {
    const jwk: unknown = JSON.parse(resealing.open(oauthKeyAssociatedData(id), sealed));
    if (!isJsonObject(jwk)) throw new Error(`the OAuth signing key ${id} is no JWK`);
    return jwk;
  });
}

function newPrivateKey(kid: string): JsonObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...(privateKey.export({ format: 'jwk' }) as JsonObject), kid, alg: SIGNING_ALGORITHM, use: 'sig' };
}
