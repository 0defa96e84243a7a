import { isEqualInConstantTime } from '../../domain/constant-time.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from './context.ts';
import { isSecure } from './transport-security.ts';

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
