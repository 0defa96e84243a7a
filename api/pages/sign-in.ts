import { safeNext } from '../../domain/console-links.ts';
import { ServiceError } from '../../domain/errors.ts';
import { passkeyPlaceOf } from '../../domain/passkeys/passkey-place.ts';
import { signOutRoute } from '../auth/session.ts';
import { signInRoute } from '../auth/sign-in.ts';
import { callFromPage, halfSessionOf, type PageRequest } from '../html/page-request.ts';
import { alertOf, passkeyFields, redirectTo, sendPage, SIGN_IN_PATH } from '../html/layout.ts';
import { markup, type Markup } from '../html/markup.ts';
import { passkeySignInOptionsRoute, signInWithPasskeyRoute } from '../passkeys/sign-in-with-passkey.ts';
import { REFERENCE_PATH } from '../reference/serve-reference.ts';
import { credentialIn, readForm } from '../html/read-form.ts';
import { sendSecondStep } from './second-step.ts';

const EMAIL_CHARACTERS_MAX = 1_000;

/** A browser whose password was right, and whose passkey is due, sees the second step. */
export async function showSignIn(request: PageRequest): Promise<void> {
  const next = safeNext(new URLSearchParams(request.ctx.querystring).get('next'));
  const half = await halfSessionOf(request);
  if (half !== null) return sendSecondStep(request.ctx, half, { next, refusal: null });
  sendSignIn(request, { next, email: '', message: null }, 200);
}

/** A refusal shows the page again, with the e-mail address and without the password. */
export async function signIn(request: PageRequest): Promise<void> {
  const { ctx } = request;
  const fields = await readForm(ctx);
  const next = safeNext(fields.get('next'));
  const email = fields.get('email')?.trim().slice(0, EMAIL_CHARACTERS_MAX) ?? '';
  try {
    await callFromPage(request, signInRoute, { body: { email, password: fields.get('password') ?? '' } });
  } catch (error) {
    if (!(error instanceof ServiceError) || !SHOWN_AGAIN.has(error.code)) throw error;
    const message =
      error.code === 'VALIDATION_ERROR' ? 'Enter an e-mail address and its password.' : error.publicMessage;
    return sendSignIn(request, { next, email, message }, error.status);
  }
  // A page that is not reached before the second step leads back to the sign-in, which shows it.
  redirectTo(ctx, next);
}

/** A refusal shows the page again: the password is the other way in. */
export async function signInWithPasskey(request: PageRequest): Promise<void> {
  const fields = await readForm(request.ctx);
  const next = safeNext(fields.get('next'));
  try {
    await callFromPage(request, signInWithPasskeyRoute, { body: { credential: credentialIn(fields) } });
  } catch (error) {
    if (!(error instanceof ServiceError) || !SHOWN_AGAIN.has(error.code)) throw error;
    const message = error.code === 'VALIDATION_ERROR' ? 'No passkey was shown. Try again.' : error.publicMessage;
    return sendSignIn(request, { next, email: '', message }, error.status);
  }
  redirectTo(request.ctx, next);
}

/** Errors that the person can correct or wait for on the same page. */
const SHOWN_AGAIN = new Set(['AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE']);

export async function signOut(request: PageRequest): Promise<void> {
  await readForm(request.ctx);
  try {
    await callFromPage(request, signOutRoute, {});
  } catch (error) {
    // Signed out already, in another tab or by expiry.
    if (!(error instanceof ServiceError) || error.code !== 'AUTHENTICATION_ERROR') throw error;
  }
  redirectTo(request.ctx, SIGN_IN_PATH);
}

/** Passkeys are offered where they work: at a name, with HTTPS or on this machine. */
function passkeyForm({ runner, ctx }: PageRequest, next: string): Markup | null {
  const place = passkeyPlaceOf(runner.deps.pagesUrl, ctx.origin);
  if ('problem' in place || (place.rpId === 'localhost' && ctx.hostname !== 'localhost')) return null;
  return markup`<form method="post" action="${`${SIGN_IN_PATH}/with-passkey`}" data-passkey="0" data-passkey-options="${passkeySignInOptionsRoute.path}" hidden>
<input type="hidden" name="next" value="${next}">
${passkeyFields()}
<div class="buttons"><button>Sign in with a passkey</button></div>
</form>`;
}

function sendSignIn(
  request: PageRequest,
  { next, email, message }: { next: string; email: string; message: string | null },
  status: number,
): void {
  const byPasskey = passkeyForm(request, next);
  const content = markup`${message !== null && alertOf(message)}
<form method="post" action="${SIGN_IN_PATH}">
<input type="hidden" name="next" value="${next}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="buttons"><button>Sign in</button></div>
</form>
${byPasskey !== null && byPasskey}
<p class="note">An agent or a program takes an API key instead: <a href="${REFERENCE_PATH}">API reference</a>.</p>`;
  sendPage(request.ctx, { title: 'Sign in', viewer: null, content, asksForPasskey: byPasskey !== null }, status);
}
