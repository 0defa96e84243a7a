import type { Logger } from 'pino';
import { CONSOLE_PATH } from '../../domain/console-links.ts';
import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import { RequestAbortedError } from '../http/client-gone.ts';
import type { HttpContext, HttpMiddleware } from '../http/context.ts';
import { isMutation } from '../http/sessions.ts';
import { logFailure, missingMessage, toServiceError } from '../http/failures.ts';
import { removeRateLimitHeaders } from '../http/rate-limit.ts';
import { exactText } from '../html/exact-text.ts';
import { MESSAGE_BYTES_MAX, redirectTo, sendPage, signInPathFor } from '../html/layout.ts';
import { markup } from '../html/markup.ts';

const TITLES: Partial<Record<ErrorCode, string>> = {
  AUTHENTICATION_ERROR: 'You are signed out',
  AUTHORIZATION_ERROR: 'This is not allowed',
  CONFLICT: 'This cannot be done any more',
  HTTPS_REQUIRED: 'Use HTTPS',
  NOT_FOUND: 'There is no such page',
  RATE_LIMIT_EXCEEDED: 'Too many requests',
  SECOND_FACTOR_REQUIRED: 'This takes your passkey',
  SERVICE_UNAVAILABLE: 'The service is not available now',
};

/** Errors become pages with a remedy. A visitor who is not signed in goes to the sign-in and returns afterwards. */
export function replyWithErrorPages(logger: Logger): HttpMiddleware {
  return async (ctx, next) => {
    if (!isPagePath(ctx.path)) return next();
    try {
      await next();
    } catch (thrown) {
      if (thrown instanceof RequestAbortedError) throw thrown;
      const error = toServiceError(thrown);
      logFailure(logger, error, { requestId: ctx.state.requestId, route: ctx.state.route?.id });
      if (error.status === 429) removeRateLimitHeaders(ctx);
      if (leadsToSignIn(error) && !isMutation(ctx.method)) {
        return redirectTo(ctx, signInPathFor(ctx.url));
      }
      sendErrorPage(ctx, error);
    }
  };
}

/** Nobody is signed in, or their sign-in waits for its second step. */
function leadsToSignIn({ code, details }: ServiceError): boolean {
  return code === 'AUTHENTICATION_ERROR' || (code === 'SECOND_FACTOR_REQUIRED' && details?.['step'] === 'sign_in');
}

export function isPagePath(path: string): boolean {
  return path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);
}

export function messageOf(ctx: HttpContext, error: ServiceError): string {
  const missing = error.missing === undefined ? null : missingMessage(error.missing, ctx.state.caller);
  return missing ?? error.publicMessage;
}

function sendErrorPage(ctx: HttpContext, error: ServiceError): void {
  const isSignedOut = error.code === 'AUTHENTICATION_ERROR';
  const content = isSignedOut
    ? markup`<p role="alert">What you sent was not carried out, because your session has ended.</p>
<p><a href="${signInPathFor(ctx.url)}">Sign in</a>, then send it again.</p>`
    : markup`<p role="alert">${exactText(messageOf(ctx, error), MESSAGE_BYTES_MAX)}</p>
<p><a href="${CONSOLE_PATH}">Go to the approvals that wait for you</a></p>
<p class="note">Error ${error.code}, request ${ctx.state.requestId}</p>`;
  sendPage(ctx, { title: TITLES[error.code] ?? 'This did not work', viewer: null, content }, error.status);
}
