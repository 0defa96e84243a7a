import { createHash } from 'node:crypto';
import { CONSOLE_PATH } from '../../domain/console-links.ts';

/**
 * Asks for a passkey before a form with `data-passkey` is sent, and sends the answer in its field `credential`. From `data-passkey`
 * (milliseconds since 1970) on it asks; until then the last answer still counts. A button that validates nothing, a refusal, is sent
 * without it. `data-passkey-options` names who makes the challenge where nobody is signed in; such a form is hidden without the script.
 * A second press ends the question that is open, because browsers ask one at a time. It writes no markup: Trusted Types are required.
 */
export const PASSKEY_SCRIPT = `'use strict';
for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.hidden = false;
  form.querySelector('[data-passkey-unscripted]').hidden = true;
  form.addEventListener('submit', (event) => {
    if (event.submitter?.formNoValidate || Date.now() < Number(form.dataset.passkey)) return;
    event.preventDefault();
    ask(form, event.submitter).catch((error) => error.name === 'AbortError' || say(form, problem(error)));
  });
}
let open;
async function ask(form, button) {
  open?.abort();
  const { signal } = open = new AbortController();
  const { csrfToken } = form.elements;
  const reply = await fetch(form.dataset.passkeyOptions ?? '/api/v2/auth/session/passkey/options', {
    method: 'POST',
    credentials: 'same-origin',
    headers: csrfToken === undefined ? {} : { 'X-CSRF-Token': csrfToken.value },
  });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(answer.error.message);
  if (window.PublicKeyCredential?.parseRequestOptionsFromJSON === undefined)
    throw new Error('This browser knows no passkeys.');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(answer.data.publicKey);
  say(form, 'Your browser asks for your passkey …');
  const credential = await navigator.credentials.get({ publicKey, signal });
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
function problem(error) {
  return error.name === 'NotAllowedError'
    ? 'No passkey was shown. Nothing was sent: try again.'
    : 'The passkey could not be asked for. Nothing was sent. ' + error.message;
}
function say(form, words) {
  const line = form.querySelector('[data-passkey-says]');
  line.textContent = words;
  line.hidden = false;
}
`;

/** The name changes with the content, so that browsers may cache it permanently. */
export const PASSKEY_SCRIPT_PATH = `${CONSOLE_PATH}/passkey-${createHash('sha256').update(PASSKEY_SCRIPT).digest('hex').slice(0, 12)}.js`;
