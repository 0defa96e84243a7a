import { beforeEach, describe, expect, it } from 'vitest';
import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';
import { createPerson, PASSWORD, personOf, type TestPerson, tokenSetBy } from '../harness/people.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { challengeOf, CONFIRM, confirm, enrol, type Enrolled, granted, PASSKEYS, PLACE } from './support.ts';

const SESSION = '/api/v2/auth/session';

const api = await startTestApi();
beforeEach(async () => {
  await api.database.asOwner('DELETE FROM sign_in_throttles');
});

interface SessionBody {
  awaitsSecondFactor: boolean;
  csrfToken: string;
  workspaces: unknown[];
  authentication: { method: string; at: string };
}

/** The person signs in with the password in another browser. */
async function signIn(person: TestPerson): Promise<TestPerson & { session: SessionBody }> {
  const reply = await api.call('POST', SESSION, { body: { email: person.email, password: PASSWORD } });
  const session = granted(reply) as SessionBody;
  const token = tokenSetBy(reply) ?? '';
  const [row] = await api.database.asOwner<{ id: string }>('SELECT id FROM sign_in_sessions WHERE csrf_token = $1', [
    session.csrfToken,
  ]);
  return { ...personOf(api, { ...person, token, csrfToken: session.csrfToken, sessionId: row?.id ?? '' }), session };
}

/** Somebody with a passkey, whose new session has shown the password alone. */
async function half(): Promise<Enrolled & { person: TestPerson }> {
  const first = await createPerson(api, 'admin');
  const enrolled = await enrol(first);
  return { ...enrolled, person: await signIn(first) };
}

const codeOf = (reply: CallResult): [number, string, unknown] => {
  const { error } = reply.json as { error: { code: string; details?: { step: string } } };
  return [reply.status, error.code, error.details?.step];
};

const auditOf = (userId: string, action: string) =>
  api.database.asOwner<{ details: { reason?: string }; authentication: { method: string } | null }>(
    'SELECT details, authentication FROM audit_log WHERE actor_id = $1 AND action = $2 ORDER BY sequence',
    [userId, action],
  );

describe('a half session', () => {
  it('says that it awaits the second factor, and shows no workspace', async () => {
    const first = await createPerson(api, 'admin');
    await enrol(first);
    const { session } = await signIn(first);
    expect(session).toMatchObject({
      awaitsSecondFactor: true,
      workspaces: [],
      authentication: { method: 'password' },
    });
  });

  it.each([
    ['GET', SESSION],
    ['GET', PASSKEYS],
    ['POST', `${PASSKEYS}/options`],
    ['POST', '/api/v2/auth/recovery-codes'],
    ['POST', '/api/v2/auth/session/password'],
    ['POST', '/api/v2/auth/password'],
    ['GET', '/api/v2/approvals'],
    ['GET', '/api/v2/auth/identity'],
    ['GET', '/api/v2/console/stream'],
  ])('gets 403 at %s %s', async (method, path) => {
    const { person } = await half();
    const headers = path.startsWith('/api/v2/auth') ? {} : { 'X-Environment-Id': api.database.tenant.environmentId };
    const reply = await person.call(method, path, { headers });
    expect(codeOf(reply)).toEqual([403, 'SECOND_FACTOR_REQUIRED', 'sign_in']);
    expect(reply.text).toContain('passkey');
  });

  it('gets 403 at a route of its workspace', async () => {
    const { person } = await half();
    const reply = await person.call('GET', `/api/v2/workspaces/${api.database.tenant.workspaceId}/api-keys`);
    expect(codeOf(reply)).toEqual([403, 'SECOND_FACTOR_REQUIRED', 'sign_in']);
  });

  it('signs out', async () => {
    const { person } = await half();
    expect((await person.call('DELETE', SESSION)).status).toBe(200);
    expect((await person.call('GET', SESSION)).status).toBe(401);
  });

  it('becomes whole by the passkey', async () => {
    const { person, device } = await half();
    const session = granted(await confirm(person, device)) as SessionBody;
    expect(session).toMatchObject({ awaitsSecondFactor: false, authentication: { method: 'passkey' } });
    expect(session.workspaces).toHaveLength(1);
    expect((granted(await person.call('GET', SESSION)) as SessionBody).authentication).toEqual({
      method: 'passkey',
      at: expect.any(String) as string,
    });
    const entries = await auditOf(person.userId, 'session.confirmed');
    expect(entries.map(({ authentication }) => authentication?.method)).toEqual(['password']);
    expect(api.replyViolations).toEqual([]);
  });

  it('is what other sessions of the person become when they enrol their first passkey', async () => {
    const person = await createPerson(api, 'member');
    const elsewhere = await signIn(person);
    expect((await elsewhere.call('GET', SESSION)).status).toBe(200);
    await enrol(person);
    expect(codeOf(await elsewhere.call('GET', SESSION))).toEqual([403, 'SECOND_FACTOR_REQUIRED', 'sign_in']);
    expect((await person.call('GET', SESSION)).status).toBe(200);
  });

  it('keeps its second factor over a change of password', async () => {
    const person = await createPerson(api, 'member');
    await enrol(person);
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} and more` };
    const session = granted(await person.call('POST', '/api/v2/auth/password', { body })) as SessionBody;
    expect(session).toMatchObject({ awaitsSecondFactor: false, authentication: { method: 'passkey' } });
  });
});

describe('an answer of an authenticator is refused', () => {
  type Tamper = (asked: { challenge: string; rpId: string; origin: string }, device: SoftwareAuthenticator) => unknown;
  const refusals: [string, Tamper, RegExp][] = [
    ['of another origin', (asked, device) => device.get({ ...asked, origin: 'https://evil.example' }), /origin/],
    ['for another RP ID', (asked, device) => device.get({ ...asked, rpId: 'evil.example' }), /RP ID/],
    ['without the person', (asked, device) => device.get({ ...asked, userVerified: false }), /verif/],
    ['to another challenge', (asked, device) => device.get({ ...asked, challenge: 'b3RoZXI' }), /challenge/],
    [
      'that is no answer',
      (_, device) => ({ ...device.get({ challenge: '', ...PLACE }), response: { clientDataJSON: 'eA' } }),
      /./,
    ],
    ['of a passkey that nobody enrolled', (asked) => new SoftwareAuthenticator().get(asked), /no such passkey/],
  ];

  it.each(refusals)('%s', async (_, tampered, reason) => {
    const { person, device } = await half();
    const challenge = await challengeOf(person, `${CONFIRM}/options`);
    const credential = tampered({ challenge, ...PLACE }, device);
    const reply = await person.call('POST', CONFIRM, { body: { credential } });
    expect(codeOf(reply).slice(0, 2)).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect((await auditOf(person.userId, 'passkey.refused'))[0]?.details.reason).toMatch(reason);
    expect((await person.call('GET', SESSION)).status).toBe(403);
  });

  it('of another person', async () => {
    const { person } = await half();
    const { device } = await enrol(await createPerson(api, 'member'));
    expect((await confirm(person, device)).status).toBe(403);
  });

  it('a second time', async () => {
    const { person, device } = await half();
    const challenge = await challengeOf(person, `${CONFIRM}/options`);
    const body = { credential: device.get({ challenge, ...PLACE }) };
    expect((await person.call('POST', CONFIRM, { body })).status).toBe(200);
    expect((await person.call('POST', CONFIRM, { body })).status).toBe(403);
    const again = { credential: device.get({ challenge, ...PLACE }) };
    expect((await person.call('POST', CONFIRM, { body: again })).status).toBe(403);
  });

  it('after a wrong answer took the challenge', async () => {
    const { person, device } = await half();
    const asked = { challenge: await challengeOf(person, `${CONFIRM}/options`), ...PLACE };
    const wrong = { credential: device.get({ ...asked, origin: 'https://evil.example' }) };
    expect((await person.call('POST', CONFIRM, { body: wrong })).status).toBe(403);
    expect((await person.call('POST', CONFIRM, { body: { credential: device.get(asked) } })).status).toBe(403);
  });

  it('to a challenge of another session of the same person', async () => {
    const { person, device } = await half();
    const elsewhere = await signIn(person);
    const challenge = await challengeOf(elsewhere, `${CONFIRM}/options`);
    const body = { credential: device.get({ challenge, ...PLACE }) };
    expect((await person.call('POST', CONFIRM, { body })).status).toBe(403);
    expect((await elsewhere.call('POST', CONFIRM, { body })).status).toBe(200);
  });

  it('to a challenge that has expired', async () => {
    const { person, device } = await half();
    const challenge = await challengeOf(person, `${CONFIRM}/options`);
    await api.database.asOwner('UPDATE passkey_challenges SET expires_at = now() WHERE session_id = $1', [
      person.sessionId,
    ]);
    const body = { credential: device.get({ challenge, ...PLACE }) };
    expect((await person.call('POST', CONFIRM, { body })).status).toBe(403);
  });

  it('of a copy, whose counter is behind', async () => {
    const { person, device } = await half();
    expect((await confirm(person, device)).status).toBe(200);
    device.counter = 0;
    expect((await confirm(person, device)).status).toBe(403);
    expect((await auditOf(person.userId, 'passkey.refused'))[0]?.details.reason).toMatch(/counter/);
  });

  it('but one that syncs counts nothing, and is accepted each time', async () => {
    const person = await createPerson(api, 'member');
    const device = new SoftwareAuthenticator();
    device.counts = false;
    await enrol(person, 'Synced', device);
    expect([(await confirm(person, device)).status, (await confirm(person, device)).status]).toEqual([200, 200]);
  });

  it('of a passkey that was removed', async () => {
    const first = await createPerson(api, 'admin');
    const [lost, kept] = [await enrol(first, 'Lost'), await enrol(first, 'Kept')];
    const person = await signIn(first);
    expect((await first.call('DELETE', `${PASSKEYS}/${lost.passkeyId}`)).status).toBe(200);
    expect((await confirm(person, lost.device)).status).toBe(403);
    expect((await confirm(person, kept.device)).status).toBe(200);
  });

  it('after too many, whatever it says, while the right password does not set the count back', async () => {
    const { person, device } = await half();
    let reply = await confirm(person, new SoftwareAuthenticator());
    for (let tried = 1; tried < 5; tried++) reply = await confirm(person, new SoftwareAuthenticator());
    expect(reply.status).toBe(403);
    const again = await signIn(person);
    expect((await confirm(again, device)).status).toBe(429);
  });
});

describe('a recovery code', () => {
  const RECOVERY = '/api/v2/auth/session/recovery-code';
  const use = (person: TestPerson, code: string | undefined) => person.call('POST', RECOVERY, { body: { code } });

  it('finishes a sign-in once, however it is typed', async () => {
    const { person, recoveryCodes } = await half();
    expect(recoveryCodes).toHaveLength(10);
    const typed = recoveryCodes[3]?.toUpperCase().replaceAll('-', ' ');
    expect(granted(await use(person, typed)) as SessionBody).toMatchObject({
      awaitsSecondFactor: false,
      authentication: { method: 'recovery_code' },
    });
    expect((await use(person, recoveryCodes[4])).status).toBe(409);
    const again = await signIn(person);
    expect((await use(again, recoveryCodes[3])).status).toBe(403);
    expect((await again.call('GET', SESSION)).status).toBe(403);
    expect((granted(await person.call('GET', '/api/v2/auth/recovery-codes')) as { unused: number }).unused).toBe(9);
    expect(await auditOf(person.userId, 'recovery_code.refused')).toHaveLength(1);
  });

  it('of another person is refused', async () => {
    const { person } = await half();
    const { recoveryCodes } = await half();
    expect((await use(person, recoveryCodes[0])).status).toBe(403);
  });

  it('is stored as a hash alone', async () => {
    const { recoveryCodes } = await half();
    const rows = await api.database.asOwner<{ is: string }>('SELECT r::text AS is FROM recovery_codes r');
    const plain = recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')]);
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(rows.filter(({ is }) => plain.some((code) => is.includes(code)))).toEqual([]);
  });

  it('ends when new ones are made, and when the last passkey is removed', async () => {
    const first = await createPerson(api, 'admin');
    const { recoveryCodes: before, passkeyId } = await enrol(first);
    const made = await first.call('POST', '/api/v2/auth/recovery-codes');
    const { recoveryCodes } = granted(made) as { recoveryCodes: string[] };
    expect((await use(await signIn(first), before[0])).status).toBe(403);
    expect((await use(await signIn(first), recoveryCodes[0])).status).toBe(200);
    expect((await first.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(200);
    expect((await signIn(first)).session.awaitsSecondFactor).toBe(false);
    const left = await api.database.asOwner('SELECT FROM recovery_codes WHERE user_id = $1', [first.userId]);
    expect(left).toEqual([]);
    expect((await first.call('POST', '/api/v2/auth/recovery-codes')).status).toBe(409);
  });
});
