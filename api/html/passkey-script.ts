import { createHash } from 'node:crypto';
import { CONSOLE_PATH } from '../../domain/console-links.ts';

/**
 * Asks for a passkey before a form with `data-passkey` is sent, and sends the answer in its field `credential`. From `data-passkey`
 * (milliseconds since 1970) on it asks; until then the last answer still counts. It writes no markup: Trusted Types are required.
 */
export const PASSKEY_SCRIPT = `'use strict';
for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.querySelector('[data-passkey-unscripted]').hidden = true;
  form.addEventListener('submit', (event) => {
    if (Date.now() < Number(form.dataset.passkey)) return;
    event.preventDefault();
    ask(form, event.submitter).catch((error) => say(form, error));
  });
}
async function ask(form, button) {
  const reply = await fetch('/api/v2/auth/session/passkey/options', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'X-CSRF-Token': form.elements.csrfToken.value },
  });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.error.message);
  if (window.PublicKeyCredential?.parseRequestOptionsFromJSON === undefined)
    throw new Error('This browser knows no passkeys.');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(answer.data.publicKey);
  const credential = await navigator.credentials.get({ publicKey });
  form.elements.credential.value = JSON.stringify(credential);
  if (button?.name) {
    const chosen = document.createElement('input');
    chosen.type = 'hidden';
    chosen.name = button.name;
    chosen.value = button.value;
    form.append(chosen);
  }
  form.submit();
}
function say(form, error) {
  const words = error.name === 'NotAllowedError'
    ? 'No passkey was shown. Nothing was sent: try again.'
    : 'The passkey could not be asked for. Nothing was sent. ' + error.message;
  const line = form.querySelector('[data-passkey-says]');
  line.textContent = words;
  line.hidden = false;
}
`;

/** The name changes with the content, so that browsers may cache it permanently. */
export const PASSKEY_SCRIPT_PATH = `${CONSOLE_PATH}/passkey-${createHash('sha256').update(PASSKEY_SCRIPT).digest('hex').slice(0, 12)}.js`;
