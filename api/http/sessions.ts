import type { Logger } from 'pino';
import { findSignInSession, type FoundSession } from '../../db/auth/directory.ts';
import {
  hashToken,
  LAST_SEEN_PRECISION_SECONDS,
  rotateSessionToken,
  TOKEN_ROTATION_MINUTES,
  touchSession,
} from '../../db/auth/sessions.ts';
import type { Database } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from './context.ts';
import type { UserCaller } from './define-route.ts';
import { describeFailure } from '../../domain/failures.ts';
import { isSecure } from './every-request.ts';
import { isEqualInConstantTime } from '../../domain/constant-time.ts';
import { isHalf } from '../../domain/passkeys/authentication.ts';
import { unfinishedSignIn } from './second-factor.ts';

/**
 * Turns the session cookie of a request into the session. Like a key, it is looked up on every request, so a sign-out, an end
 * of membership or a change of role holds on the next one. A token that is due for rotation is replaced.
 */
export class SessionAuthenticator {
  private readonly db: Database;
  private readonly logger: Logger;
  private readonly publicOrigins: readonly string[];

  constructor(db: Database, logger: Logger, publicOrigins: readonly string[]) {
    this.db = db;
    this.logger = logger;
    this.publicOrigins = publicOrigins;
  }

  /**
   * `memberOf`: the workspace or environment, by UUID, that the user must be a member of. `takesHalf`: also a session that still waits for
   * the passkey of its user.
   *
   * @throws {ServiceError} AUTHENTICATION_ERROR; SECOND_FACTOR_REQUIRED; AUTHORIZATION_ERROR for a mutation that another site may have sent.
   */
  async authenticate(
    ctx: HttpContext,
    memberOf: { workspaceId?: string; environmentId?: string },
    takesHalf = false,
  ): Promise<FoundSession> {
    const hash = hashToken(readSessionCookie(ctx) ?? '');
    const session = await findSignInSession(this.db, hash, memberOf);
    if (session === null) {
      throw new ServiceError('AUTHENTICATION_ERROR', { message: 'Authentication failed. Sign in, then try again.' });
    }
    if (!takesHalf && isHalf(session.authentication)) throw unfinishedSignIn();
    refuseCrossSite(ctx, session.csrfToken, this.publicOrigins);
    if (isDue(session)) await this.rotate(ctx, session, hash);
    else if (
      session.isCurrentToken &&
      (isUnseen(session) || ageMs(session.lastSeenAt) >= LAST_SEEN_PRECISION_SECONDS * 1_000)
    ) {
      void this.rememberUse(session, hash);
    }
    return session;
  }

  /** For a request without a session. @throws {ServiceError} AUTHORIZATION_ERROR for a mutation that another site sent. */
  refuseOtherSite(ctx: HttpContext): void {
    if (isMutation(ctx.method)) refuseForeignOrigin(ctx, this.publicOrigins);
  }

  private async rotate(ctx: HttpContext, session: FoundSession, hash: Buffer): Promise<void> {
    const token = await this.db.withUser(session.userId, (tx) => rotateSessionToken(tx, hash));
    if (token === null) return; // another request has just rotated it; the present token stays valid for a while
    ctx.append('Set-Cookie', sessionCookie({ token, expiresAt: session.expiresAt }, needsSecureCookie(ctx)));
  }

  private async rememberUse(session: FoundSession, presented: Buffer): Promise<void> {
    try {
      await this.db.withUser(session.userId, (tx) => touchSession(tx, presented));
    } catch (error) {
      this.logger.warn(
        { sessionId: session.id, failure: describeFailure(error) },
        'the use of a session was not written',
      );
    }
  }
}

export function userOf(session: FoundSession): UserCaller {
  return {
    type: 'session',
    userId: session.userId,
    email: session.email,
    name: session.name,
    sessionId: session.id,
    authentication: session.authentication,
    csrfToken: session.csrfToken,
    expiresAt: session.expiresAt,
  };
}

/** A token that is old; or the one before it, where nobody has presented the present one by then and its reply must be lost. */
function isDue(session: FoundSession): boolean {
  const mayBeReplaced = session.isCurrentToken || isUnseen(session);
  return mayBeReplaced && ageMs(session.tokenIssuedAt) >= TOKEN_ROTATION_MINUTES * 60_000;
}

/** Nobody has presented the present token yet. */
function isUnseen({ lastSeenAt, tokenIssuedAt }: FoundSession): boolean {
  return lastSeenAt <= tokenIssuedAt;
}

function ageMs(moment: Date): number {
  return Date.now() - moment.getTime();
}

/** `__Host-`: the browser keeps it only with Secure, Path=/ and no Domain, so no sibling host can plant one. */
const SECURE_NAME = '__Host-service-session';
const LOOPBACK_NAME = 'service-session';
const LOOPBACK_HOST = /^(localhost|([a-z0-9-]+\.)+localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|::1)$/i;

/**
 * False only on unencrypted loopback, where a browser would not send a Secure cookie. A request that a trusted proxy received
 * over TLS is never loopback, whatever Host the proxy passes on: many write the upstream's address there.
 */
export function needsSecureCookie(ctx: HttpContext): boolean {
  return isSecure(ctx) || !LOOPBACK_HOST.test(ctx.hostname);
}

/** The token of the session cookie, or null where the request has none. */
export function readSessionCookie(ctx: HttpContext): string | null {
  return cookieIn(ctx.get('Cookie'), needsSecureCookie(ctx) ? SECURE_NAME : LOOPBACK_NAME);
}

/** The value of a cookie in the header that holds them all. */
export function cookieIn(header: string, wanted: string): string | null {
  for (const part of header.split(';')) {
    const [name, ...value] = part.trim().split('=');
    if (name === wanted) return value.join('=');
  }
  return null;
}

/** A Set-Cookie that expires with the session; `null` removes the cookie. */
export function sessionCookie(session: { token: string; expiresAt: Date } | null, secure: boolean): string {
  const name = secure ? SECURE_NAME : LOOPBACK_NAME;
  const expires = session?.expiresAt ?? new Date(0);
  const parts = [
    `${name}=${session?.token ?? ''}`,
    'Path=/',
    `Expires=${expires.toUTCString()}`,
    'HttpOnly',
    'SameSite=Lax',
  ];
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}

/** Methods that change nothing. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isMutation(method: string): boolean {
  return !SAFE_METHODS.has(method);
}

/**
 * A browser sends the cookie with requests of other sites too. A mutation under a session must therefore show that our own page
 * sent it: by its Origin, which a page cannot choose, and by the session's CSRF token, which another site cannot read.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR that says which of the two is missing or wrong.
 */
export function refuseCrossSite(ctx: HttpContext, csrfToken: string, publicOrigins: readonly string[]): void {
  if (!isMutation(ctx.method)) return;
  const origin = ctx.get('Origin');
  if (origin === '') throw refused('The Origin header is missing: a request by session cookie needs one.');
  refuseForeignOrigin(ctx, publicOrigins);
  const { formCsrfToken } = ctx.state;
  if (formCsrfToken !== undefined) {
    if (isEqualInConstantTime(formCsrfToken, csrfToken)) return;
    throw refused('This page is of an earlier sign-in. Open it again, then send it.');
  }
  const presented = ctx.get('X-CSRF-Token');
  if (presented === '') {
    throw refused('The X-CSRF-Token header is missing: send the csrfToken of GET /api/v2/auth/session.');
  }
  if (!isEqualInConstantTime(presented, csrfToken)) {
    throw refused('The X-CSRF-Token is not the one of this session: read csrfToken of GET /api/v2/auth/session again.');
  }
}

/** For requests without a session, such as a sign-in: no Origin is fine (a program sends none), another site's is not. */
export function refuseForeignOrigin(ctx: HttpContext, publicOrigins: readonly string[]): void {
  const origin = ctx.get('Origin');
  if (origin === '' || isOwn(ctx, origin, publicOrigins)) return;
  throw refused('The Origin header names another site than this service.');
}

/** Our origins are the configured ones and the request's own host. Over TLS an unencrypted page is not ours. */
function isOwn(ctx: HttpContext, origin: string, publicOrigins: readonly string[]): boolean {
  if (publicOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { host, protocol, origin: normal } = new URL(origin);
  if (normal !== origin || ctx.host === '') return false;
  return host === ctx.host.toLowerCase() && (protocol === 'https:' || (protocol === 'http:' && !isSecure(ctx)));
}

function refused(message: string): ServiceError {
  return new ServiceError('AUTHORIZATION_ERROR', { message });
}
