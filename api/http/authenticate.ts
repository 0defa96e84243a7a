import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { hashApiKey, LAST_USED_PRECISION_SECONDS, touchApiKey } from '../../db/api-keys/api-keys.ts';
import { type ApiKeyGrant, findApiKey } from '../../db/api-keys/directory.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { type AccessTokenGrant, findAccessToken } from '../../db/oauth/artifacts.ts';
import { type ResourceKind, touchGrant } from '../../db/oauth/grants.ts';
import { ServiceError } from '../../domain/errors.ts';
import { scopesForRole } from '../../domain/scopes.ts';
import type { BearerCaller, KeyCaller, OAuthCaller } from './define-route.ts';
import { describeFailure } from '../../domain/failures.ts';

const BEARER = /^Bearer +(\S+)$/i;
const SCHEME = /^Bearer(?: |$)/i;
const API_KEY = /^service_live_[0-9A-Za-z]{32}$/;
/** An opaque access token has 256 bits. */
const ACCESS_TOKEN = /^[0-9A-Za-z_-]{43}$/;

/**
 * Turns an Authorization header into a caller. Malformed, unknown, expired and revoked keys take the same way (a hash and one database
 * lookup) to the same 401, so neither reply nor time tells them apart. Every request looks its key up: a revoked key fails on the very next
 * request in every process. Requests of one turn of the event loop share the lookup, which begins after all of them arrived.
 */
export class Authenticator {
  private readonly db: Database;
  private readonly logger: Logger;
  /** Keys and grants whose use is being written, so that a burst of requests writes it once. */
  private readonly touching = new Set<string>();
  private readonly due = new Map<string, Promise<ApiKeyGrant | null>>();

  /** Returns the URL that a token for one of our resources names, or null when tokens are not issued. */
  private readonly audienceOf: (resource: ResourceKind) => string | null;

  constructor(db: Database, logger: Logger, audienceOf: (resource: ResourceKind) => string | null) {
    this.db = db;
    this.logger = logger;
    this.audienceOf = audienceOf;
  }

  /**
   * The holder of an API key, or of an access token for this resource.
   *
   * @throws {ServiceError} AUTHENTICATION_ERROR.
   */
  async authenticate(authorization: string, resource: ResourceKind = 'api'): Promise<BearerCaller> {
    if (authorization === '') throw unauthenticated('the request has no Authorization header');
    if (!SCHEME.test(authorization)) throw unauthenticated('the Authorization header does not begin with Bearer');
    const presented = BEARER.exec(authorization)?.[1] ?? '';
    return ACCESS_TOKEN.test(presented) ? this.tokenCaller(presented, resource) : this.keyCaller(presented);
  }

  /** Like a key, a token is looked up on every request, with its grant and membership as they are now. */
  private async tokenCaller(presented: string, resource: ResourceKind): Promise<OAuthCaller> {
    const grant = await findAccessToken(this.db, presented);
    if (grant === null || grant.audience !== this.audienceOf(resource)) throw new ServiceError('AUTHENTICATION_ERROR');
    const tenant = { workspaceId: grant.workspaceId, environmentId: grant.environment.id };
    this.noteUse(tenant, { id: grant.grantId, lastUsedAt: grant.lastUsedAt, touch: touchGrant });
    return oauthCallerOf(grant, tenant);
  }

  private async keyCaller(presented: string): Promise<KeyCaller> {
    const grant = await this.grantOf(presented);
    if (grant === null || !API_KEY.test(presented)) throw new ServiceError('AUTHENTICATION_ERROR');
    const tenant = { workspaceId: grant.workspaceId, environmentId: grant.environment.id };
    this.noteUse(tenant, { id: grant.keyId, lastUsedAt: grant.lastUsedAt, touch: touchApiKey });
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

  private grantOf(presented: string): Promise<ApiKeyGrant | null> {
    const due = this.due.get(presented);
    if (due !== undefined) return due;
    const looked = turnOver().then(() => {
      this.due.delete(presented);
      return findApiKey(this.db, hashApiKey(presented));
    });
    this.due.set(presented, looked);
    return looked;
  }

  private noteUse(tenant: Tenant, used: UsedCredential): void {
    if (isUseDue(used) && !this.touching.has(used.id)) void this.rememberUse(tenant, used);
  }

  /** Runs in the background: it neither delays nor fails a reply. */
  private async rememberUse(tenant: Tenant, { id, touch }: UsedCredential): Promise<void> {
    this.touching.add(id);
    try {
      await this.db.withEnvironment(tenant, (tx) => touch(tx, id));
    } catch (error) {
      this.logger.warn(
        { credentialId: id, failure: describeFailure(error) },
        'the use of a credential was not written',
      );
    } finally {
      this.touching.delete(id);
    }
  }
}

function unauthenticated(why: string): ServiceError {
  const message = `Authentication failed: ${why}. Send Authorization: Bearer <API_KEY>.`;
  return new ServiceError('AUTHENTICATION_ERROR', { message });
}

const turnOver = promisify(setImmediate);

interface UsedCredential {
  id: string;
  lastUsedAt: Date | null;
  touch: (tx: EnvironmentTransaction, id: string) => Promise<void>;
}

/** The scopes are those of the consent that the user's role still allows. */
function oauthCallerOf(grant: AccessTokenGrant, tenant: Tenant): OAuthCaller {
  const { userId, role, grantId, clientId, workspaceId, environment, expiresAt } = grant;
  const scopes = new Set(scopesForRole(grant.scopes, role));
  return { type: 'oauth', userId, role, grantId, clientId, workspaceId, tenant, environment, scopes, expiresAt };
}

function isUseDue({ lastUsedAt }: Pick<UsedCredential, 'lastUsedAt'>): boolean {
  return lastUsedAt === null || Date.now() - lastUsedAt.getTime() >= LAST_USED_PRECISION_SECONDS * 1_000;
}
