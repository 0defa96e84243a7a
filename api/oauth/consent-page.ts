import { errors, type Provider } from 'oidc-provider';
import type { FoundSession } from '../../db/auth/directory.ts';
import { SESSION_LIFETIME_HOURS } from '../../db/auth/sessions.ts';
import { hashOfArtifact } from '../../db/oauth/artifacts.ts';
import { listEnvironmentsOfUser } from '../../db/oauth/connected-apps.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { OFFERED_SCOPES, SCOPE_GROUPS } from '../../domain/oauth/offered-scopes.ts';
import { askedFrom } from '../../domain/passkeys/authentication.ts';
import { type Scope, scopesForRole } from '../../domain/scopes.ts';
import { callFromPage, type PageRequest, readAsUser, sessionOf } from '../html/page-request.ts';
import { redirectTo, sendPage, signInPathFor } from '../html/layout.ts';
import { markup } from '../html/markup.ts';
import { readForm } from '../html/read-form.ts';
import { type AppRequest, consentContent, GROUP_FIELD, SCOPE_FIELD } from './consent-content.ts';
import { confirmOnPage, SHOWN_ON_PAGE } from '../passkeys/confirm-on-page.ts';
import { consentRoute } from './consent-route.ts';
import { CONSENT_PATH, resourceKindOf } from '../http/oauth-places.ts';
import { redirectKindOf } from './redirects.ts';

export interface ConsentParts {
  provider: Provider;
  issuer: string;
  redirectSchemes: readonly string[];
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/**
 * The page on which a user lets an app act for them, and its form. Two cookies bind it: that of the sign-in session, and one of this very
 * authorization request, so that nobody can have another person consent to a request that they began themselves.
 */
export async function answerConsent(request: PageRequest, parts: ConsentParts): Promise<void> {
  const { ctx } = request;
  if (ctx.method === 'POST') return decide(request, parts);
  if (ctx.method !== 'GET')
    throw new ServiceError('METHOD_NOT_ALLOWED', { message: 'This page answers GET and POST.' });
  const session = await sessionOf(request);
  const interaction = await interactionOf(request, parts);
  if (needsNewSignIn(interaction, session)) return redirectTo(ctx, signInPathFor(ctx.path));
  await show(request, parts, { session, interaction });
}

interface Shown {
  session: FoundSession;
  interaction: Interaction;
}

async function show(
  request: PageRequest,
  parts: ConsentParts,
  { session, interaction }: Shown,
  refused: ServiceError | null = null,
): Promise<void> {
  const asked = await appRequestOf(parts, interaction);
  const environments = await readAsUser(request, session, (tx) => listEnvironmentsOfUser(tx, session.userId));
  // Which environment is chosen, and so whether it asks, is known only with the form.
  const { csrfToken, authentication } = session;
  const asksFrom = authentication.hasPasskey ? askedFrom(authentication) : null;
  const content = consentContent({ asked, environments, csrfToken, asksFrom, refused });
  const page = { title: `Connect ${asked.clientName}`, viewer: session, content, asksForPasskey: asksFrom !== null };
  sendPage(request.ctx, page, refused?.status ?? 200);
}

/** POST of the page. */
async function decide(request: PageRequest, parts: ConsentParts): Promise<void> {
  const { ctx } = request;
  const fields = await readForm(ctx);
  const session = await sessionOf(request);
  const interaction = await interactionOf(request, parts);
  if (needsNewSignIn(interaction, session)) return redirectTo(ctx, signInPathFor(ctx.path));
  const decision = fields.get('decision');
  if (decision === 'deny') {
    return finish(request, parts, { error: 'access_denied', error_description: 'the user did not allow it' });
  }
  try {
    if (decision !== 'allow') throw unusable('Choose to allow or not. Nothing was allowed yet.');
    await confirmOnPage(request, fields);
    const grantId = await consent(request, parts, { session, interaction }, fields);
    const startedAt = Math.floor(startOf(session).getTime() / 1_000);
    await finish(request, parts, {
      login: { accountId: session.userId, remember: false, ts: startedAt },
      consent: { grantId },
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || !SHOWN_ON_PAGE.has(error.code)) throw error;
    await show(request, parts, { session: await sessionOf(request), interaction }, error);
  }
}

function unusable(message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', { message });
}

/** Makes the grant with what the user left chosen: at most what the app asked for, and what their role allows in the workspace. */
async function consent(
  request: PageRequest,
  parts: ConsentParts,
  { session, interaction }: Shown,
  fields: ReadonlyMap<string, string>,
): Promise<string> {
  const { redirectUri: _uri, redirectKind: _kind, ...asked } = await appRequestOf(parts, interaction);
  const environments = await readAsUser(request, session, (tx) => listEnvironmentsOfUser(tx, session.userId));
  const environment = environments.find(({ id }) => id === fields.get('environmentId'));
  if (environment === undefined)
    throw unusable('Choose the environment that the app works in. Nothing was allowed yet.');
  const allowed = scopesForRole(asked.scopes, environment.role);
  const scopes = allowed.filter((scope) => fields.has(fieldOf(scope)));
  if (scopes.length === 0) {
    const whole = 'Leave at least one permission chosen, or do not allow it.';
    const bounded = `Your role in this workspace is ${environment.role}: what is chosen needs an admin. Nothing was allowed.`;
    throw unusable(allowed.length === asked.scopes.length ? whole : bounded);
  }
  const grantId = newId('connectedApp');
  await callFromPage(request, consentRoute, {
    params: { workspaceId: environment.workspaceId },
    body: {
      ...asked,
      environmentId: environment.id,
      grantId,
      requestHash: hashOfArtifact(interaction.uid).toString('hex'),
      scopes,
    },
  });
  return grantId;
}

/** A scope of a group is chosen with its group. */
function fieldOf(scope: Scope): string {
  const group = SCOPE_GROUPS.find(({ scopes }) => scopes.includes(scope));
  return group === undefined ? `${SCOPE_FIELD}${scope}` : `${GROUP_FIELD}${group.name}`;
}

/**
 * Hands the decision to the provider, which sends the user back to the app. A crash before it leaves a grant without a token.
 *
 * The answer is a page that goes on by itself, not a redirect: a browser asks the policy of the form's page about every redirect that follows a
 * form, and no policy can name an IPv6 address, or the sites to which a callback leads on.
 */
async function finish(
  { ctx }: PageRequest,
  { provider }: ConsentParts,
  result: Parameters<Provider['interactionResult']>[2],
): Promise<void> {
  const next = new URL(await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false }));
  const path = `${next.pathname}${next.search}`;
  const content = markup`<p>You are on your way back to the app. <a href="${path}">Go on</a>, if nothing happens.</p>`;
  sendPage(ctx, { title: 'Back to the app', viewer: null, content });
  ctx.set('Refresh', `0; url=${path}`);
}

/** @throws {ServiceError} NOT_FOUND where this browser has begun no such request, or it is over. */
async function interactionOf({ ctx }: PageRequest, { provider }: ConsentParts): Promise<Interaction> {
  try {
    const interaction = await provider.interactionDetails(ctx.req, ctx.res);
    if (ctx.path === `${CONSENT_PATH}/${interaction.uid}`) return interaction;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
  }
  throw new ServiceError('NOT_FOUND', {
    message: 'This request to connect an app is over, or another browser began it. Start again in the app.',
  });
}

async function appRequestOf(
  { provider, issuer, redirectSchemes }: ConsentParts,
  { params }: Interaction,
): Promise<AppRequest> {
  const [clientId, redirectUri] = [textOf(params['client_id']), textOf(params['redirect_uri'])];
  const client = await provider.Client.find(clientId);
  const resource = resourceKindOf(issuer, textOf([params['resource']].flat()[0]));
  const redirectKind = redirectKindOf(redirectUri, redirectSchemes);
  if (client === undefined || resource === null || redirectKind === null) {
    throw new ServiceError('NOT_FOUND', { message: 'The app is not registered any more. Start again in the app.' });
  }
  const wanted = new Set(textOf(params['scope']).split(' '));
  return {
    clientId,
    clientName: client.clientName ?? clientId.slice(0, 200),
    redirectUri,
    redirectKind,
    resource,
    scopes: OFFERED_SCOPES.filter((scope) => wanted.has(scope)),
    openid: wanted.has('openid'),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** OpenID Connect, 3.1.2.1: an app may ask that the user signs in now, or has done so lately. */
function needsNewSignIn({ params, iat }: Interaction, session: FoundSession): boolean {
  const startedAt = startOf(session).getTime() / 1_000;
  if (textOf(params['prompt']).split(' ').includes('login')) return startedAt < iat - 1;
  const maxAge = params['max_age'];
  return maxAge !== undefined && startedAt < iat - Number(maxAge);
}

function startOf({ expiresAt }: FoundSession): Date {
  return new Date(expiresAt.getTime() - SESSION_LIFETIME_HOURS * 3_600_000);
}
