import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';
import type { TestPerson } from '../harness/people.ts';
import type { CallResult, TestApi } from '../harness/test-api.ts';

/** Where the passkeys of a test API belong: its `pagesUrl`. */
export const PLACE = { rpId: 'runtime.example.com', origin: 'https://runtime.example.com' };

export const PASSKEYS = '/api/v2/auth/passkeys';
export const CONFIRM = '/api/v2/auth/session/passkey';

type Person = Pick<TestPerson, 'call'>;

export interface Enrolled {
  device: SoftwareAuthenticator;
  passkeyId: string;
  recoveryCodes: string[];
}

/** The person enrols a passkey. */
export async function enrol(person: Person, name = 'Phone', device = new SoftwareAuthenticator()): Promise<Enrolled> {
  const challenge = await challengeOf(person, `${PASSKEYS}/options`);
  const body = { name, credential: device.create({ challenge, ...PLACE }) };
  const reply = await person.call('POST', PASSKEYS, { body });
  const data = granted(reply) as { passkey: { id: string }; recoveryCodes: string[] | null };
  return { device, passkeyId: data.passkey.id, recoveryCodes: data.recoveryCodes ?? [] };
}

/** The person shows the passkey. */
export async function confirm(person: Person, device: SoftwareAuthenticator): Promise<CallResult> {
  const challenge = await challengeOf(person, `${CONFIRM}/options`);
  return person.call('POST', CONFIRM, { body: { credential: device.get({ challenge, ...PLACE }) } });
}

export const ALONE = '/api/v2/auth/passkey-sign-in';

/** A browser that nobody has signed in with yet: the challenge that it was given, and the cookie that holds it. */
export async function askedBrowser(api: Pick<TestApi, 'call'>): Promise<{ challenge: string; cookie: string }> {
  const reply = await api.call('POST', `${ALONE}/options`);
  const { publicKey } = granted(reply) as { publicKey: { challenge: string } };
  return { challenge: publicKey.challenge, cookie: (reply.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '' };
}

export async function challengeOf(person: Person, path: string): Promise<string> {
  return (granted(await person.call('POST', path)) as { publicKey: { challenge: string } }).publicKey.challenge;
}

/** The `data` of a reply that must be a success. */
export function granted(reply: CallResult): unknown {
  if (reply.status >= 300) throw new Error(`refused with ${reply.status}: ${reply.text}`);
  return (reply.json as { data: unknown }).data;
}
