import type { Logger } from 'pino';
import { findSignInSession, type FoundSession } from '../../db/auth/find-sign-in-session.ts';
import { rotateSessionToken } from '../../db/auth/rotate-session-token.ts';
import { hashToken, LAST_SEEN_PRECISION_SECONDS, TOKEN_ROTATION_MINUTES } from '../../db/auth/session-terms.ts';
import { touchSession } from '../../db/auth/touch-session.ts';
import type { Database } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from './context.ts';
import { isMutation, refuseCrossSite, refuseForeignOrigin } from './cross-site.ts';
import type { UserCaller } from './define-route.ts';
import { describeFailure } from './failures.ts';
import { needsSecureCookie, readSessionCookie, sessionCookie } from './session-cookie.ts';

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
   * `memberOf`: the workspace or environment, by UUID, that the user must be a member of.
   *
   * @throws {ServiceError} AUTHENTICATION_ERROR; AUTHORIZATION_ERROR for a mutation that another site may have sent.
   */
  async authenticate(
    ctx: HttpContext,
    memberOf: { workspaceId?: string; environmentId?: string },
  ): Promise<FoundSession> {
    const hash = hashToken(readSessionCookie(ctx) ?? '');
    const session = await findSignInSession(this.db, hash, memberOf);
    if (session === null) {
      throw new ServiceError('AUTHENTICATION_ERROR', { message: 'Authentication failed. Sign in, then try again.' });
    }
    refuseCrossSite(ctx, session.csrfToken, this.publicOrigins);
    if (session.isCurrentToken && ageMs(session.tokenIssuedAt) >= TOKEN_ROTATION_MINUTES * 60_000) {
      await this.rotate(ctx, session, hash);
    } else if (ageMs(session.lastSeenAt) >= LAST_SEEN_PRECISION_SECONDS * 1_000) {
      void this.rememberUse(session);
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

  private async rememberUse(session: FoundSession): Promise<void> {
    try {
      await this.db.withUser(session.userId, (tx) => touchSession(tx, session.id));
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
    csrfToken: session.csrfToken,
    expiresAt: session.expiresAt,
  };
}

function ageMs(moment: Date): number {
  return Date.now() - moment.getTime();
}
