import type { FoundSession } from '../../db/auth/directory.ts';
import { CONSOLE_PATH, safeNext } from '../../domain/console-links.ts';
import { ServiceError } from '../../domain/errors.ts';
import { csrfField, alertOf, passkeyFields, redirectTo, sendPage, SIGN_IN_PATH } from '../html/layout.ts';
import { markup } from '../html/markup.ts';
import { callFromPage, halfSessionOf, type PageRequest } from '../html/page-request.ts';
import { credentialIn, readForm } from '../html/read-form.ts';
import type { HttpContext } from '../http/context.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { useRecoveryCodeRoute } from '../passkeys/confirm-otherwise.ts';
import { confirmWithPasskeyRoute } from '../passkeys/confirm-with-passkey.ts';

export function finishWithPasskey(request: PageRequest): Promise<void> {
  return finish(request, confirmWithPasskeyRoute, (fields) => ({ credential: credentialIn(fields) }));
}

export function finishWithCode(request: PageRequest): Promise<void> {
  return finish(request, useRecoveryCodeRoute, (fields) => ({ code: fields.get('code') ?? '' }));
}

/** A refusal shows the second step again. */
async function finish(
  request: PageRequest,
  route: AnyRoute,
  bodyOf: (fields: ReadonlyMap<string, string>) => Record<string, unknown>,
): Promise<void> {
  const fields = await readForm(request.ctx);
  const next = safeNext(fields.get('next'));
  try {
    await callFromPage(request, route, { body: bodyOf(fields) });
  } catch (error) {
    if (!(error instanceof ServiceError) || !SHOWN_AGAIN.has(error.code)) throw error;
    const half = await halfSessionOf(request);
    if (half === null) throw error;
    return sendSecondStep(request.ctx, half, { next, refusal: error });
  }
  redirectTo(request.ctx, next);
}

const SHOWN_AGAIN = new Set(['AUTHORIZATION_ERROR', 'CONFLICT', 'VALIDATION_ERROR', 'RATE_LIMIT_EXCEEDED']);

export function sendSecondStep(
  ctx: HttpContext,
  { csrfToken, email }: Pick<FoundSession, 'csrfToken' | 'email'>,
  { next, refusal }: { next: string; refusal: ServiceError | null },
): void {
  const hidden = markup`${csrfField(csrfToken)}<input type="hidden" name="next" value="${next}">`;
  const message = refusal?.code === 'VALIDATION_ERROR' ? 'Nothing was entered. Try again.' : refusal?.publicMessage;
  const content = markup`${message !== undefined && alertOf(message)}
<p>You sign in as ${email}. Your password was right; one more step is left.</p>
<form method="post" action="${`${SIGN_IN_PATH}/passkey`}" data-passkey="0">
${hidden}
${passkeyFields()}
<div class="buttons"><button>Use your passkey</button></div>
</form>
<form method="post" action="${`${SIGN_IN_PATH}/recovery-code`}">
${hidden}
<label for="code">Or a recovery code, if you have lost your passkey</label>
<input id="code" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required>
<div class="buttons"><button>Use the code</button></div>
</form>
<form method="post" action="${`${CONSOLE_PATH}/sign-out`}">${csrfField(csrfToken)}<div class="buttons"><button>Sign in as somebody else</button></div></form>`;
  sendPage(
    ctx,
    { title: 'Confirm that it is you', viewer: null, content, asksForPasskey: true },
    refusal?.status ?? 200,
  );
}
