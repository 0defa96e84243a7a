import { type Configuration, errors, interactionPolicy, type JWK, Provider } from 'oidc-provider';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { storageOf, type StorageParts } from './adapter.ts';
import type { ClientDocuments } from './client-documents.ts';
import { CONSENT_PATH, OAUTH_PATHS, resourceKindOf, resourceUrl } from '../http/oauth-places.ts';
import { becomePublicClient } from './public-client.ts';
import { requireFewAndOurRedirects, RESPONSE_MODES } from './redirects.ts';
import { SIGNING_ALGORITHM } from './signing-keys.ts';

/** An access token is looked up at every call, so its life bounds only how long a copy is worth something to a thief who stays unseen. */
export const ACCESS_TOKEN_SECONDS = 3_600;
/** A refresh token that nobody used for so long is over, and with it the connection. */
export const REFRESH_TOKEN_SECONDS = 30 * 86_400;
const CODE_SECONDS = 60;
/** For a sign-in and a decision. */
export const CONSENT_SECONDS = 900;
/** A document of a client's metadata is read again after this long. */
const METADATA_CACHE_SECONDS = { min: 300, max: 300 };

export interface ProviderParts extends StorageParts {
  documents: ClientDocuments;
  signingKeys: readonly JWK[];
  /** The schemes of apps that redirects may have, beside reversed domain names. */
  redirectSchemes: readonly string[];
  renderError: NonNullable<Configuration['renderError']>;
}

const { Check, Prompt } = interactionPolicy;

/**
 * The authorization server: OAuth 2.1 for public clients, so PKCE and no client secrets, with a consent for every authorization. Its own
 * session is switched off: users are signed in by the session of our pages.
 */
export function createProvider(parts: ProviderParts): Provider {
  const { issuer } = parts;
  const provider = new Provider(issuer, {
    adapter: storageOf(parts),
    clientAuthMethods: ['none'],
    clientBasedCORS: () => false,
    clientDefaults: {
      // The only type whose loopback redirects match whichever port the app listens on (RFC 8252, 7.3).
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: SIGNING_ALGORITHM,
      response_modes: [...RESPONSE_MODES],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    cookies: {
      names: { session: 'service-oauth', interaction: 'service-oauth-consent', resume: 'service-oauth-resume' },
      long: { httpOnly: true, sameSite: 'lax', path: '/oauth', signed: false },
      short: { httpOnly: true, sameSite: 'lax', signed: false },
      // What they hold is random and found by its hash: a signature would add nothing.
      keys: [],
    },
    enabledJWA: { idTokenSigningAlgValues: [SIGNING_ALGORITHM] },
    expiresWithSession: () => false,
    extraClientMetadata: {
      properties: ['service_redirects'],
      validator: (_ctx, _key, _value, metadata) => {
        requireFewAndOurRedirects(metadata, parts.redirectSchemes);
        becomePublicClient(metadata, parts.redirectSchemes);
      },
    },
    features: featuresOf(parts),
    fetch: (url) => parts.documents.read(new Request(url).url),
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { policy: consentEveryTime(), url: (_ctx, { uid }) => `${CONSENT_PATH}/${uid}` },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: [...parts.signingKeys] },
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    pkce: { required: () => true },
    renderError: parts.renderError,
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: OAUTH_PATHS,
    scopes: ['openid', 'offline_access'],
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: REFRESH_TOKEN_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
      Interaction: CONSENT_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Session: CONSENT_SECONDS,
    },
  });
  return provider;
}

function featuresOf(parts: ProviderParts): NonNullable<Configuration['features']> {
  const { issuer } = parts;
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (_ctx, clientId) => parts.documents.prepare(clientId),
      allowClient: () => true,
      cacheDuration: METADATA_CACHE_SECONDS,
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      // Clients of the MCP revision of March 2025 name none.
      defaultResource: (_ctx, _client, oneOf) =>
        oneOf?.length === 1 ? (oneOf[0] ?? []) : (oneOf ?? resourceUrl(issuer, 'mcp')),
      getResourceServerInfo: (_ctx, resource) => {
        if (resourceKindOf(issuer, resource) === null) throw new errors.InvalidTarget();
        return {
          audience: resource,
          scope: OFFERED_SCOPES.join(' '),
          accessTokenFormat: 'opaque',
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
        };
      },
      useGrantedResource: () => true,
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  };
}

/** Each authorization shows our page: who is signed in there decides, for this app, in the environment that they choose. */
function consentEveryTime(): interactionPolicy.Prompt[] {
  const fresh = new Check(
    'consent_required',
    'the user decides on every authorization',
    'consent_required',
    ({ oidc }) => {
      if (Object.keys(oidc.resourceServers ?? {}).length !== 1) throw new errors.InvalidTarget('name one resource');
      return oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
    },
  );
  return [new Prompt({ name: 'login', requestable: true }), new Prompt({ name: 'consent', requestable: true }, fresh)];
}
