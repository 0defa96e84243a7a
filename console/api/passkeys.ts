import { call } from './client.ts';

/** The browser's side of passkeys. Options and answers cross as JSON, which browsers of the last years read and write themselves. */

const UNKNOWN = 'This browser knows no passkeys. Use a newer one.';

/** The words of a refusal by the browser or its person. */
export function passkeyProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'NotAllowedError') return 'No passkey was shown. Nothing was changed: try again.';
  if (error.name === 'InvalidStateError') return 'This device has a passkey of yours already.';
  if (error.name === 'SecurityError')
    return `The browser makes no passkeys at ${window.location.host}. ${error.message}`;
  return error.message;
}

/** Makes a passkey. Returns the recovery codes if it is the first one. */
export async function enrolPasskey(name: string): Promise<string[] | null> {
  const { data } = await call('post', '/api/v2/auth/passkeys/options');
  if (!hasWebAuthnJson()) throw new Error(UNKNOWN);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data.publicKey as never);
  const credential = jsonOf(await navigator.credentials.create({ publicKey }));
  const enrolled = await call('post', '/api/v2/auth/passkeys', { body: { name, credential: credential as never } });
  return enrolled.data.recoveryCodes;
}

/** Shows a passkey to the service, which confirms the session. `signal` takes the browser's question away, which asks one at a time. */
export async function showPasskey(signal: AbortSignal): Promise<void> {
  const { data } = await call('post', '/api/v2/auth/session/passkey/options', { signal });
  if (!hasWebAuthnJson()) throw new Error(UNKNOWN);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.publicKey as never);
  const credential = jsonOf(await navigator.credentials.get({ publicKey, signal }));
  await call('post', '/api/v2/auth/session/passkey', { body: { credential: credential as never } });
}

function hasWebAuthnJson(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
}

function jsonOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.');
  return credential.toJSON();
}
