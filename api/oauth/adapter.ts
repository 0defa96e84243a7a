import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import {
  ARTIFACT_KINDS,
  type ArtifactKind,
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  putArtifact,
} from '../../db/oauth/artifacts.ts';
import { findClient, registerClient } from '../../db/oauth/clients.ts';
import type { Database } from '../../db/client.ts';
import { findGrant } from '../../db/oauth/grants.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isStorable } from '../../domain/storable-text.ts';
import { disconnectApp } from '../../db/oauth/connected-apps.ts';
import { canonicalResources, resourceUrl } from '../http/oauth-places.ts';

export interface StorageParts {
  db: Database;
  issuer: string;
  /** The address that a request in hand came from. */
  addressOf: () => string;
}

/** What oidc-provider keeps, in PostgreSQL. */
export function storageOf(parts: StorageParts): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return new Clients(parts);
    if (model === 'Grant') return new Grants(parts);
    if (isArtifactKind(model)) return new Artifacts(parts, model);
    return NOWHERE;
  };
}

function isArtifactKind(model: string): model is ArtifactKind {
  return (ARTIFACT_KINDS as readonly string[]).includes(model);
}

/** Kinds of records that no feature of ours uses: other tokens, and the provider's own session. Users are signed in by our session. */
class Nowhere implements Adapter {
  upsert: Adapter['upsert'] = () => Promise.resolve();
  find: Adapter['find'] = () => Promise.resolve(undefined);
  findByUid: Adapter['findByUid'] = () => Promise.resolve(undefined);
  findByUserCode: Adapter['findByUserCode'] = () => Promise.resolve(undefined);
  consume: Adapter['consume'] = () => Promise.resolve();
  destroy: Adapter['destroy'] = () => Promise.resolve();
  /** Nothing to do: the grant itself ends, and with it all that rests on it. */
  revokeByGrantId: Adapter['revokeByGrantId'] = () => Promise.resolve();
}

const NOWHERE = new Nowhere();

/** Longer than a request to the token endpoint takes. */
const NOT_YET_EXPIRED_SECONDS = 60;

/** Stands in a stored payload where the artifact's own value was. */
const OWN_VALUE = '{value}';

class Artifacts extends Nowhere {
  private readonly parts: StorageParts;
  private readonly kind: ArtifactKind;

  constructor(parts: StorageParts, kind: ArtifactKind) {
    super();
    this.parts = parts;
    this.kind = kind;
  }

  override upsert = async (value: string, payload: AdapterPayload, expiresInSeconds?: number): Promise<void> => {
    if (expiresInSeconds === undefined) throw new Error(`an OAuth artifact of the kind ${this.kind} needs an end`);
    if (this.kind === 'Interaction') requireSmallParameters(payload.params ?? {});
    await putArtifact(this.parts.db, {
      value,
      kind: this.kind,
      grantId: this.kind === 'Interaction' ? null : (payload.grantId ?? null),
      payload: withoutValue(payload, value),
      expiresAt: new Date(Date.now() + expiresInSeconds * 1_000),
    });
  };

  override find = async (value: string): Promise<AdapterPayload | undefined> => {
    const stored = await findArtifact(this.parts.db, this.kind, value);
    if (stored === null) return undefined;
    const { consumedAt } = stored;
    if (consumedAt === null) return withValue(stored.payload, value);
    const consumed = Math.floor(consumedAt.getTime() / 1_000);
    // The provider asks for the expiry first, and would take a copy of an old token for a token that merely expired.
    const end = this.kind === 'RefreshToken' ? { exp: Math.floor(Date.now() / 1_000) + NOT_YET_EXPIRED_SECONDS } : {};
    return { ...withValue(stored.payload, value), consumed, ...end };
  };

  /**
   * Another request may have seen at the same time that it is not consumed. The second one presents a copy, so the grant ends, as for a
   * copy that comes later.
   */
  override consume = async (value: string): Promise<void> => {
    await this.requireGrantedResource(value);
    if (await consumeArtifact(this.parts.db, this.kind, value)) return;
    const stored = await findArtifact(this.parts.db, this.kind, value);
    const grantId = stored?.payload['grantId'];
    if (typeof grantId === 'string') await disconnectApp(this.parts.db, grantId, 'reuse');
    throw new errors.InvalidGrant('it was used already');
  };

  /**
   * Refuses a request that names a resource which was not consented to. The provider does so too, but only after this: its app would have
   * lost its code or refresh token, and the next right request would be taken for the thief's.
   */
  private async requireGrantedResource(value: string): Promise<void> {
    const params = Provider.ctx?.oidc.params;
    const named = params?.['resource'];
    if (params === undefined || named === undefined) return;
    const resource = canonicalResources(this.parts.issuer, named as string | string[]);
    params['resource'] = resource;
    const granted = [(await findArtifact(this.parts.db, this.kind, value))?.payload['resource']].flat();
    if (typeof resource !== 'string' || !granted.includes(resource)) {
      throw new errors.InvalidTarget('name the resource that the user consented to, or none');
    }
  }

  override destroy = (value: string): Promise<void> => deleteArtifact(this.parts.db, this.kind, value);
}

/** Strangers send as many authorization requests as they like, and each is kept for its 15 minutes. */
const PARAMETER_CHARACTERS_MAX = 2_048;

function requireSmallParameters(params: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (String(value).length > PARAMETER_CHARACTERS_MAX) {
      throw new errors.InvalidRequest(`${name} must have at most ${PARAMETER_CHARACTERS_MAX} characters`);
    }
    if (!isStorable(value)) throw new errors.InvalidRequest(`${name} holds a NUL or half of a surrogate pair`);
  }
}

/** The path to return to after a consent contains the value too. */
function withoutValue(payload: AdapterPayload, value: string): JsonObject {
  return JSON.parse(JSON.stringify({ ...payload, jti: undefined }).replaceAll(value, OWN_VALUE)) as JsonObject;
}

function withValue(payload: JsonObject, value: string): AdapterPayload {
  const returnTo = payload['returnTo'];
  const restored = typeof returnTo === 'string' ? { returnTo: returnTo.replaceAll(OWN_VALUE, value) } : {};
  return { ...(payload as AdapterPayload), ...restored, jti: value };
}

/** Created by a consent only, never by the provider. */
class Grants extends Nowhere {
  private readonly parts: StorageParts;

  constructor(parts: StorageParts) {
    super();
    this.parts = parts;
  }

  override find = async (id: string): Promise<AdapterPayload | undefined> => {
    const grant = await findGrant(this.parts.db, id);
    if (grant === null) return undefined;
    const oidc = grant.openid ? 'openid offline_access' : 'offline_access';
    return {
      jti: grant.id,
      kind: 'Grant',
      accountId: grant.userId,
      clientId: grant.clientId,
      iat: Math.floor(grant.createdAt.getTime() / 1_000),
      exp: Math.floor(grant.expiresAt.getTime() / 1_000),
      openid: { scope: oidc },
      resources: { [resourceUrl(this.parts.issuer, grant.resource)]: grant.scopes.join(' ') },
    };
  };

  override upsert: Adapter['upsert'] = () =>
    Promise.reject(new Error('a grant is made by a consent, not by the provider'));

  /** The app gave its token back, or somebody presented a code or a refresh token again. */
  override destroy = (id: string): Promise<void> =>
    disconnectApp(this.parts.db, id, Provider.ctx?.oidc.route === 'revocation' ? 'app' : 'reuse');
}

class Clients extends Nowhere {
  private readonly parts: StorageParts;

  constructor(parts: StorageParts) {
    super();
    this.parts = parts;
  }

  override find = async (id: string): Promise<AdapterPayload | undefined> =>
    isStorable(id) ? (((await findClient(this.parts.db, id)) as AdapterPayload | null) ?? undefined) : undefined;

  override upsert = async (id: string, metadata: AdapterPayload): Promise<void> => {
    const registration = await registerClient(this.parts.db, {
      id,
      metadata: metadata as JsonObject,
      address: this.parts.addressOf(),
    });
    if (registration === 'registered') return;
    const reason =
      registration === 'throttled'
        ? 'too many apps were registered from this address: try again in an hour, or use a client id metadata document'
        : 'no more apps can be registered now: use a client id metadata document';
    throw tryLater(reason);
  };
}

function tryLater(reason: string): Error {
  return Object.assign(new errors.TemporarilyUnavailable(reason), { status: 429, statusCode: 429 });
}
