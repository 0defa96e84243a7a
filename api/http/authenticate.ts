import type { Logger } from 'pino';
import { hashApiKey } from '../../db/api-keys/api-key.ts';
import { findApiKey, type ApiKeyGrant } from '../../db/api-keys/find-api-key.ts';
import { LAST_USED_PRECISION_SECONDS, touchApiKey } from '../../db/api-keys/touch-api-key.ts';
import type { Database, Tenant } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { KeyCaller } from './define-route.ts';
import { describeFailure } from './failures.ts';

const BEARER = /^Bearer +(\S+)$/i;
const API_KEY = /^service_live_[0-9A-Za-z]{32}$/;

/**
 * Turns an Authorization header into a caller. A key that is missing, malformed, unknown, expired or revoked goes the same
 * way (a hash and one look at the database) to the same 401, so neither the answer nor its time tells them apart.
 *
 * Every request looks its key up: what is cached in a process can be stale for as long as a notification takes, and a revoked
 * key must fail on the very next request on every process. One look-up by an indexed hash is the price.
 */
export class Authenticator {
  private readonly db: Database;
  private readonly logger: Logger;
  /** Keys whose use is being written, so that a burst of requests writes it once. */
  private readonly touching = new Set<string>();

  constructor(db: Database, logger: Logger) {
    this.db = db;
    this.logger = logger;
  }

  /** @throws {ServiceError} AUTHENTICATION_ERROR. */
  async authenticate(authorization: string): Promise<KeyCaller> {
    const presented = BEARER.exec(authorization)?.[1] ?? '';
    const grant = await findApiKey(this.db, hashApiKey(presented));
    if (grant === null || !API_KEY.test(presented)) throw new ServiceError('AUTHENTICATION_ERROR');
    const tenant = { workspaceId: grant.workspaceId, environmentId: grant.environment.id };
    if (isUseDue(grant) && !this.touching.has(grant.keyId)) void this.rememberUse(tenant, grant.keyId);
    return {
      type: 'api_key',
      keyId: grant.keyId,
      workspaceId: grant.workspaceId,
      tenant,
      environment: grant.environment,
      preset: grant.preset,
      scopes: grant.scopes,
      expiresAt: grant.expiresAt,
    };
  }

  /** In the background: no reply waits for it, and none fails with it. */
  private async rememberUse(tenant: Tenant, keyId: string): Promise<void> {
    this.touching.add(keyId);
    try {
      await this.db.withEnvironment(tenant, (tx) => touchApiKey(tx, keyId));
    } catch (error) {
      this.logger.warn({ keyId, failure: describeFailure(error) }, 'the use of an API key was not written');
    } finally {
      this.touching.delete(keyId);
    }
  }
}

function isUseDue({ lastUsedAt }: ApiKeyGrant): boolean {
  return lastUsedAt === null || Date.now() - lastUsedAt.getTime() >= LAST_USED_PRECISION_SECONDS * 1_000;
}
