import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { hashApiKey } from '../../db/api-keys/api-key.ts';
import { findApiKey, type ApiKeyGrant } from '../../db/api-keys/find-api-key.ts';
import { LAST_USED_PRECISION_SECONDS, touchApiKey } from '../../db/api-keys/touch-api-key.ts';
import type { Database, Tenant } from '../../db/client.ts';
import type { PresentedKey, PresentedKeyRow } from '../../db/scope.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { KeyCaller } from './define-route.ts';
import { describeFailure } from './failures.ts';

const BEARER = /^Bearer +(\S+)$/i;
const API_KEY = /^service_live_[0-9A-Za-z]{32}$/;

/** Keys that this process remembers, some 2 KB each. */
const KNOWN_KEYS_MAX = 1_000;

/** Who presents a key, as far as this process remembers. Nothing is answered before the database has said so too. */
export interface AssumedCaller {
  caller: KeyCaller;
  /** For the transaction of the read, which looks the key up. */
  presented: PresentedKey;
}

/**
 * Turns an Authorization header into a caller. A key that is missing, malformed, unknown, expired or revoked goes the same
 * way (a hash and one look at the database) to the same 401, so neither the answer nor its time tells them apart.
 *
 * Every request looks its key up: what is cached in a process can be stale for as long as a notification takes, and a revoked
 * key must fail on the very next request on every process. A read looks it up in the round trip of its first statement, where
 * this process has seen the key before: what it remembers says only which read to begin.
 */
export class Authenticator {
  private readonly db: Database;
  private readonly logger: Logger;
  /** Keys whose use is being written, so that a burst of requests writes it once. */
  private readonly touching = new Set<string>();
  /** By the hash of the key. */
  private readonly known = new LRUCache<string, KeyCaller>({ max: KNOWN_KEYS_MAX });

  constructor(db: Database, logger: Logger) {
    this.db = db;
    this.logger = logger;
  }

  /** @throws {ServiceError} AUTHENTICATION_ERROR. */
  async authenticate(authorization: string): Promise<KeyCaller> {
    const presented = BEARER.exec(authorization)?.[1] ?? '';
    const hash = hashApiKey(presented);
    const grant = await findApiKey(this.db, hash);
    if (grant === null || !API_KEY.test(presented)) {
      this.known.delete(nameOf(hash));
      throw new ServiceError('AUTHENTICATION_ERROR');
    }
    const tenant = { workspaceId: grant.workspaceId, environmentId: grant.environment.id };
    this.noteUse(tenant, grant);
    const caller: KeyCaller = {
      type: 'api_key',
      keyId: grant.keyId,
      workspaceId: grant.workspaceId,
      tenant,
      environment: grant.environment,
      preset: grant.preset,
      scopes: grant.scopes,
      expiresAt: grant.expiresAt,
    };
    this.known.set(nameOf(hash), caller);
    return caller;
  }

  /** Null for a key that this process has not seen, or that has ended since: then `authenticate` says who it is. */
  assume(authorization: string): AssumedCaller | null {
    const hash = hashApiKey(BEARER.exec(authorization)?.[1] ?? '');
    const name = nameOf(hash);
    const caller = this.known.get(name);
    if (caller === undefined) return null;
    const isAsAssumed = (row: PresentedKeyRow): boolean => {
      const { environment } = caller;
      const isSame =
        row.id === caller.keyId &&
        row.environment_name === environment.name &&
        row.environment_protected === environment.protected;
      if (isSame) this.noteUse(caller.tenant, { keyId: caller.keyId, lastUsedAt: row.last_used_at });
      return isSame;
    };
    return { caller, presented: { hash, isAsAssumed } };
  }

  private noteUse(tenant: Tenant, used: Pick<ApiKeyGrant, 'keyId' | 'lastUsedAt'>): void {
    if (isUseDue(used) && !this.touching.has(used.keyId)) void this.rememberUse(tenant, used.keyId);
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

function nameOf(hash: Buffer): string {
  return hash.toString('base64');
}

function isUseDue({ lastUsedAt }: Pick<ApiKeyGrant, 'lastUsedAt'>): boolean {
  return lastUsedAt === null || Date.now() - lastUsedAt.getTime() >= LAST_USED_PRECISION_SECONDS * 1_000;
}
