import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { networkOf } from '../../domain/address-ranges.ts';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { REDIRECT_SCHEMES_DEFAULT } from '../../domain/oauth/redirect-schemes.ts';
import { ServiceError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { HttpContext } from '../http/context.ts';
import { describeFailure } from '../../domain/failures.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import { clientAddress, isSecure } from '../http/every-request.ts';
import { AddressThrottle } from './address-throttle.ts';
import { ClientDocuments } from './client-documents.ts';
import { answerConsent } from './consent-page.ts';
import { sendOAuthError, sendOAuthErrorWithLink } from './error-page.ts';
import { canonicalResources, CONSENT_PATH, OAUTH_PATHS, SERVER_METADATA_PATH } from '../http/oauth-places.ts';
import { createProvider } from './provider.ts';
import { acceptedScope, ANNOUNCED_SCOPES } from './public-client.ts';
import { isOnLoopback, RESPONSE_MODES } from './redirects.ts';
import { readSigningKeys } from './signing-keys.ts';
import { StrangerLimits } from './stranger-limits.ts';

/** Documents of strangers that one network has us fetch. */
const FETCHES_PER_MINUTE_MAX = 20;

/** Answers one request of an authorization server's path. */
type OAuthServer = (ctx: HttpContext) => Promise<void>;

export async function createOAuthServer(runner: RouteRunner, issuer: string): Promise<OAuthServer> {
  const { db, logger, fetchClientDocument, redirectSchemes = REDIRECT_SCHEMES_DEFAULT } = runner.deps;
  const inHand = new AsyncLocalStorage<HttpContext>();
  const addressOf = (): string => {
    const ctx = inHand.getStore();
    return ctx === undefined ? 'unknown' : clientAddress(ctx);
  };
  const limits = new StrangerLimits();
  const fetches = new AddressThrottle(FETCHES_PER_MINUTE_MAX);
  const provider = createProvider({
    db,
    issuer,
    addressOf,
    documents: new ClientDocuments({
      fetchClientDocument,
      networkOf: () => networkOf(addressOf()),
      mayFetch: () => fetches.admit(addressOf()),
    }),
    signingKeys: await readSigningKeys(runner.deps),
    redirectSchemes,
    renderError: sendOAuthError,
  });
  provider.use((ctx, next) => asReached(ctx as KoaContextWithOIDC, { issuer, inHand }, next));
  provider.on('server_error', (_ctx, error) => logger.error({ failure: describeFailure(error) }, 'OAuth failed'));
  (provider as EventEmitter).on('error', (error: unknown) =>
    logger.debug({ failure: describeFailure(error) }, 'connection error'),
  );
  const handle = provider.callback();
  return (ctx) =>
    inHand.run(ctx, async () => {
      if (!limits.admit(clientAddress(ctx), ctx.path)) throw tooMany();
      if (ctx.path.startsWith(`${CONSENT_PATH}/`))
        return answerConsent({ runner, ctx }, { provider, issuer, redirectSchemes });
      await throughProvider(ctx, handle);
    });
}

/** The provider is an application of its own, which writes the response. Headers that we set before stay. */
async function throughProvider(ctx: HttpContext, handle: ReturnType<Provider['callback']>): Promise<void> {
  ctx.respond = false;
  await handle(ctx.req, ctx.res);
}

/**
 * Lets the provider see the request as it reached us: addresses are made from the configured issuer, whatever Host header was sent, and cookies
 * are secure where the client came over TLS, which a trusted proxy may have ended.
 */
async function asReached(
  ctx: KoaContextWithOIDC,
  { issuer, inHand }: { issuer: string; inHand: AsyncLocalStorage<HttpContext> },
  next: () => Promise<void>,
): Promise<void> {
  const outer = inHand.getStore();
  Object.defineProperties(ctx.request, {
    href: { value: `${issuer}/` },
    secure: { value: outer !== undefined && isSecure(outer) },
  });
  if (ctx.path === OAUTH_PATHS.authorization) {
    const { scope, resource } = ctx.query;
    ctx.query = {
      ...ctx.query,
      // RFC 6749, 3.3: a request without a scope asks for what we say is the default.
      ...(scope === undefined ? { scope: OFFERED_SCOPES.join(' ') } : {}),
      ...(resource === undefined ? {} : { resource: canonicalResources(issuer, resource) }),
    };
  }
  const mode = ctx.path === OAUTH_PATHS.authorization ? ctx.query['response_mode'] : undefined;
  // The provider would post even its refusal.
  if (mode !== undefined && !RESPONSE_MODES.includes(String(mode))) {
    return refuseHere(ctx, {
      error: 'invalid_request',
      error_description: `response_mode must be ${RESPONSE_MODES.join(' or ')}`,
    });
  }
  await next();
  keepStrangersHere(ctx, issuer);
  if (ctx.path === OAUTH_PATHS.registration && ctx.status === 201 && isJsonObject(ctx.body)) {
    const scope = acceptedScope(ctx.oidc.body?.['scope']);
    ctx.body = { ...ctx.body, ...(scope === null ? {} : { scope }) };
  }
  if (ctx.path === SERVER_METADATA_PATH && isJsonObject(ctx.body)) {
    ctx.body = {
      ...ctx.body,
      response_modes_supported: RESPONSE_MODES,
      scopes_supported: ANNOUNCED_SCOPES,
      client_id_metadata_document_supported: true,
    };
  }
}

/**
 * Answers a request that is refused before anybody has signed in. Otherwise anybody could register a redirect to a site of theirs, and
 * would have a link on our address that leads there (RFC 9700, 4.11.2), or that opens an app. A program that listens on the user's machine
 * is told, because it waits. An app whose user denies is told too, in another place.
 */
function keepStrangersHere(ctx: KoaContextWithOIDC, issuer: string): void {
  const location = ctx.response.get('Location');
  if (ctx.path !== OAUTH_PATHS.authorization || location === '') return;
  const target = new URL(location, issuer);
  if (target.origin === new URL(issuer).origin || isOnLoopback(target)) return;
  const said = new URLSearchParams(target.hash === '' ? target.search : target.hash.slice(1));
  ctx.remove('Location');
  const description = said.get('error_description');
  const error = {
    error: said.get('error') ?? 'invalid_request',
    ...(description === null ? {} : { error_description: description }),
  };
  ctx.status = 400;
  sendOAuthErrorWithLink(ctx, error, target);
}

function refuseHere(ctx: KoaContextWithOIDC, error: ErrorOut): void {
  ctx.status = 400;
  sendOAuthError(ctx, error);
}

function tooMany(): ServiceError {
  return new ServiceError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many requests from this network. Try again in a minute.',
  });
}
