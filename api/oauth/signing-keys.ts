import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { addOAuthKey, listOAuthKeys, oauthKeyAssociatedData } from '../../db/oauth/signing-keys.ts';
import { isUnopened } from '../../db/secrets/vault.ts';
import { describeFailure } from '../../domain/failures.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ApiDependencies } from '../dependencies.ts';

/** The one algorithm of ID tokens. Access tokens are opaque: their receiver looks them up, and so sees when one has ended. */
export const SIGNING_ALGORITHM = 'ES256';

type KeyDependencies = Pick<ApiDependencies, 'db' | 'resealing' | 'logger'>;

/**
 * The private keys as JWKs, the signing one first. The first process that asks makes one, also where none opens: sign-ins of apps must not
 * end for good with a lost master key. A key that does not open signs nothing, is not published, and stays in its row.
 */
export async function readSigningKeys(deps: KeyDependencies): Promise<JsonObject[]> {
  const { opened, unopened } = await openKeys(deps);
  if (opened.length > 0) return opened;
  const id = randomBytes(16).toString('base64url');
  const sealed = deps.resealing.seal(oauthKeyAssociatedData(id), JSON.stringify(newPrivateKey(id)));
  await addOAuthKey(deps.db, { id, ...sealed }, unopened);
  const after = await openKeys(deps);
  if (after.opened.length === 0) throw new Error('no OAuth signing key opens, not even one that was just added');
  return after.opened;
}

async function openKeys({ db, resealing, logger }: KeyDependencies): Promise<{
  opened: JsonObject[];
  unopened: string[];
}> {
  const opened: JsonObject[] = [];
  const unopened: string[] = [];
  for (const { id, ...sealed } of await listOAuthKeys(db)) {
    try {
      const jwk: unknown = JSON.parse(resealing.open(oauthKeyAssociatedData(id), sealed));
      if (!isJsonObject(jwk)) throw new Error(`the OAuth signing key ${id} is no JWK`);
      opened.push(jwk);
    } catch (error) {
      if (!isUnopened(error)) throw error;
      unopened.push(id);
      logger.error({ keyId: id, failure: describeFailure(error) }, 'an OAuth signing key does not open');
    }
  }
  return { opened, unopened };
}

function newPrivateKey(kid: string): JsonObject {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...(privateKey.export({ format: 'jwk' }) as JsonObject), kid, alg: SIGNING_ALGORITHM, use: 'sig' };
}
