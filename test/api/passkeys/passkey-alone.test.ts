import { beforeEach, describe, expect, it } from 'vitest';
import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';
import { createPerson, cookieOf, PASSWORD, type TestPerson, tokenSetBy } from '../harness/people.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { ALONE, askedBrowser, enrol, type Enrolled, granted, PASSKEYS, PLACE } from './support.ts';

/** A passkey in place of e-mail address and password. */
const api = await startTestApi();
beforeEach(async () => {
  await api.database.asOwner('DELETE FROM sign_in_throttles');
});

async function somebody(): Promise<Enrolled & { person: TestPerson }> {
  const person = await createPerson(api, 'admin');
  return { person, ...(await enrol(person)) };
}

const send = (cookie: string, credential: unknown): Promise<CallResult> =>
  api.call('POST', ALONE, { headers: { Cookie: cookie }, body: { credential } });

/** Somebody shows the passkey in a browser that was just asked. */
async function show({ device, person }: Pick<Enrolled, 'device'> & { person: TestPerson }): Promise<CallResult> {
  const { challenge, cookie } = await askedBrowser(api);
  return send(cookie, device.get({ challenge, ...PLACE, userId: person.userId }));
}

const refusal = (reply: CallResult): [number, string] => {
  const { error } = reply.json as { error: { code: string; message: string } };
  return [reply.status, error.message];
};

const WORDS = /^This passkey was not accepted\. Try again/;

const entriesOf = (targetId: string, action: string) =>
  api.database.asOwner<{ actor_id: string | null; details: { reason?: string }; authentication: object | null }>(
    'SELECT actor_id, details, authentication FROM audit_log WHERE target_id = $1 AND action = $2 ORDER BY sequence',
    [targetId, action],
  );

describe('a passkey alone', () => {
  it('signs its person in, whose session is finished and has seen no password', async () => {
    const someone = await somebody();
    const reply = await show(someone);
    const session = granted(reply) as { user: { id: string }; csrfToken: string; workspaces: unknown[] };
    expect(session).toMatchObject({
      user: { id: someone.person.userId, email: someone.person.email },
      awaitsSecondFactor: false,
      authentication: { method: 'passkey' },
    });
    expect(session.workspaces).toHaveLength(1);
    const headers = {
      Cookie: cookieOf(tokenSetBy(reply) ?? ''),
      Origin: api.baseUrl,
      'X-CSRF-Token': session.csrfToken,
    };
    expect((await api.call('GET', '/api/v2/auth/session', { headers })).status).toBe(200);
    const [row] = await api.database.asOwner<{ id: string; password_at: Date | null }>(
      'SELECT id, password_at FROM sign_in_sessions WHERE csrf_token = $1',
      [session.csrfToken],
    );
    expect(row?.password_at).toBeNull();
    const [entry] = await entriesOf(row?.id ?? '', 'session.started');
    expect(entry).toMatchObject({
      actor_id: someone.person.userId,
      details: { passkeyId: someone.passkeyId },
      authentication: { method: 'passkey' },
    });
    // What counts for changes of passkeys is the passkey: after five minutes it is asked for again.
    expect((await api.call('POST', `${PASSKEYS}/options`, { headers })).status).toBe(200);
    await api.database.asOwner(
      `UPDATE sign_in_sessions SET second_factor_at = now() - interval '6 minutes' WHERE id = $1`,
      [row?.id],
    );
    expect((await api.call('POST', `${PASSKEYS}/options`, { headers })).status).toBe(403);
    expect(api.replyViolations).toEqual([]);
  });

  it('ends the session that the browser had before, and none when it is refused', async () => {
    const someone = await somebody();
    const { challenge, cookie } = await askedBrowser(api);
    const credential = someone.device.get({ challenge, ...PLACE, userId: someone.person.userId });
    const before = await createPerson(api, 'member');
    expect((await send(`${cookie}; ${cookieOf(before.token)}`, credential)).status).toBe(200);
    expect((await before.call('GET', '/api/v2/auth/session')).status).toBe(401);
    const other = await createPerson(api, 'member');
    expect((await send(`${cookie}; ${cookieOf(other.token)}`, credential)).status).toBe(401);
    expect((await other.call('GET', '/api/v2/auth/session')).status).toBe(200);
  });

  it('signs in a person who is in no workspace, and shows them none', async () => {
    const someone = await somebody();
    await api.database.asOwner('DELETE FROM members WHERE user_id = $1', [someone.person.userId]);
    const reply = await show(someone);
    expect(granted(reply)).toMatchObject({ workspaces: [] });
    const headers = {
      Cookie: cookieOf(tokenSetBy(reply) ?? ''),
      'X-Environment-Id': api.database.tenant.environmentId,
    };
    expect((await api.call('GET', '/api/v2/approvals', { headers })).status).toBe(404);
  });

  it('is asked for in the same words whoever asks, and leaves nothing in the database', async () => {
    const rows = (): Promise<unknown[]> => api.database.asOwner('SELECT * FROM passkey_challenges');
    const before = await rows();
    const reply = await api.call('POST', `${ALONE}/options`);
    const { publicKey } = granted(reply) as { publicKey: Record<string, unknown> };
    expect(publicKey).toMatchObject({ rpId: PLACE.rpId, userVerification: 'required' });
    expect(publicKey['allowCredentials'] ?? []).toEqual([]);
    expect(reply.headers.get('Set-Cookie')).toMatch(/HttpOnly; SameSite=Strict/);
    expect(await rows()).toEqual(before);
    expect((await api.call('POST', `${ALONE}/options`, { body: { email: 'ada@example.com' } })).status).toBe(400);
  });
});

describe('an answer is refused, in the same words,', () => {
  type Asked = { challenge: string; rpId: string; origin: string; userId: string };
  const refusals: [string, (asked: Asked, device: SoftwareAuthenticator) => unknown, RegExp][] = [
    ['of another origin', (asked, device) => device.get({ ...asked, origin: 'https://evil.example' }), /origin/],
    ['for another RP ID', (asked, device) => device.get({ ...asked, rpId: 'evil.example' }), /RP ID/],
    ['without the person', (asked, device) => device.get({ ...asked, userVerified: false }), /verif/],
    ['to another challenge', (asked, device) => device.get({ ...asked, challenge: 'b3RoZXI' }), /challenge/],
    ['that names another person', (asked, device) => device.get({ ...asked, userId: 'usr_other' }), /user handle/],
    [
      'that names nobody',
      ({ challenge, rpId, origin }, device) => device.get({ challenge, rpId, origin }),
      /user handle/,
    ],
    [
      'signed by another key',
      (asked, device) => ({ ...new SoftwareAuthenticator().get(asked), id: device.credentialId.toString('base64url') }),
      /./,
    ],
  ];

  it.each(refusals)('%s', async (_, tampered, reason) => {
    const { person, device } = await somebody();
    const { challenge, cookie } = await askedBrowser(api);
    const reply = await send(cookie, tampered({ challenge, ...PLACE, userId: person.userId }, device));
    expect(refusal(reply)).toEqual([401, expect.stringMatching(WORDS)]);
    expect(reply.headers.get('Set-Cookie')).toBeNull();
    await expect.poll(() => entriesOf(person.userId, 'passkey.refused')).toHaveLength(1);
    const [entry] = await entriesOf(person.userId, 'passkey.refused');
    expect(entry).toMatchObject({ actor_id: null, authentication: null });
    expect(entry?.details.reason).toMatch(reason);
  });

  it('of a passkey that nobody enrolled, which looks like any other refusal', async () => {
    const { person, device } = await somebody();
    const [stranger, known] = [await show({ device: new SoftwareAuthenticator(), person }), await askedBrowser(api)];
    const wrong = await send(known.cookie, device.get({ challenge: 'b3RoZXI', ...PLACE, userId: person.userId }));
    const said = ({ status, json }: CallResult) => [status, (json as { error: unknown }).error];
    expect(said(stranger)).toEqual(said(wrong));
  });

  it('a second time, from whichever browser, and to an older challenge', async () => {
    const { person, device } = await somebody();
    device.counts = false;
    await api.database.asOwner('UPDATE passkeys SET sign_count = 0 WHERE user_id = $1', [person.userId]);
    device.counter = 0;
    const [older, asked] = [await askedBrowser(api), await askedBrowser(api)];
    const answerTo = (challenge: string) => device.get({ challenge, ...PLACE, userId: person.userId });
    expect((await send(asked.cookie, answerTo(asked.challenge))).status).toBe(200);
    expect((await send(asked.cookie, answerTo(asked.challenge))).status).toBe(401);
    expect((await send(older.cookie, answerTo(older.challenge))).status).toBe(401);
    expect((await show({ device, person })).status).toBe(200);
  });

  it('once of many at the same time', async () => {
    const { person, device } = await somebody();
    device.counts = false;
    await api.database.asOwner('UPDATE passkeys SET sign_count = 0 WHERE user_id = $1', [person.userId]);
    device.counter = 0;
    const { challenge, cookie } = await askedBrowser(api);
    const credential = device.get({ challenge, ...PLACE, userId: person.userId });
    const replies = await Promise.all([1, 2, 3, 4].map(() => send(cookie, credential)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(3);
  });

  it('in another browser than the one that was asked', async () => {
    const { person, device } = await somebody();
    const [asked, other] = [await askedBrowser(api), await askedBrowser(api)];
    const credential = device.get({ challenge: asked.challenge, ...PLACE, userId: person.userId });
    expect((await send(other.cookie, credential)).status).toBe(401);
    expect((await send('', credential)).status).toBe(401);
    expect((await send(asked.cookie, credential)).status).toBe(200);
  });

  it('to a challenge that we did not sign, or that is too old', async () => {
    const { person, device } = await somebody();
    const { challenge, cookie } = await askedBrowser(api);
    const credential = device.get({ challenge, ...PLACE, userId: person.userId });
    const [name, value = ''] = cookie.split('=', 2);
    const [time, , signature] = value.split('~');
    const forged = [`${Number(time) + 1}~${challenge}~${signature}`, `${time}~${challenge}~1.eA`, 'x', ''];
    for (const one of forged) expect((await send(`${name}=${one}`, credential)).status, one).toBe(401);
    const old = new Date(Date.now() - 301_000);
    const text = `${old.getTime()}\n${challenge}`;
    const late = `${name}=${old.getTime()}~${challenge}~${api.deps.links.sign('passkey sign-in', text)}`;
    expect((await send(late, credential)).status).toBe(401);
  });

  it('of a passkey that was removed', async () => {
    const someone = await somebody();
    const removed = await someone.person.call('DELETE', `${PASSKEYS}/${someone.passkeyId}`);
    expect(removed.status).toBe(200);
    expect(refusal(await show(someone))).toEqual([401, expect.stringMatching(WORDS)]);
  });

  it('of a copy, whose counter is behind', async () => {
    const someone = await somebody();
    expect((await show(someone)).status).toBe(200);
    someone.device.counter = 0;
    expect((await show(someone)).status).toBe(401);
  });

  it('of another site', async () => {
    const { person, device } = await somebody();
    const { challenge, cookie } = await askedBrowser(api);
    const credential = device.get({ challenge, ...PLACE, userId: person.userId });
    const headers = { Cookie: cookie, Origin: 'https://evil.example' };
    expect((await api.call('POST', ALONE, { headers, body: { credential } })).status).toBe(403);
    expect((await api.call('POST', `${ALONE}/options`, { headers })).status).toBe(403);
  });

  it('after too many, whatever it says, while the password still signs in', async () => {
    const someone = await somebody();
    const wrong = async (): Promise<number> => {
      const { cookie } = await askedBrowser(api);
      const { userId } = someone.person;
      return (await send(cookie, someone.device.get({ challenge: 'b3RoZXI', ...PLACE, userId }))).status;
    };
    const statuses = [];
    for (let tried = 0; tried < 5; tried++) statuses.push(await wrong());
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect((await show(someone)).status).toBe(429);
    const body = { email: someone.person.email, password: PASSWORD };
    expect((await api.call('POST', '/api/v2/auth/session', { body })).status).toBe(200);
  });
});
