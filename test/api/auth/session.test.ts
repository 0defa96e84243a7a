import { createHook } from 'node:async_hooks';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hashToken, rotateSessionToken, touchSession } from '../../../db/auth/sessions.ts';
import { comparisonWith, hashPassword } from '../../../db/auth/password.ts';
import { parseAddressRanges } from '../../../domain/address-ranges.ts';
import { CHEAP, cookieOf, createPerson, PASSWORD, personOf, tokenSetBy, type TestPerson } from '../harness/people.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { askDuring } from '../harness/open-transaction.ts';

const SESSION = '/api/v2/auth/session';

interface SessionBody {
  data: { csrfToken: string; expiresAt: string; user: { id: string }; workspaces: { id: string }[] };
}

const api = await startTestApi();
const other = await startTestApi({ database: api.database });
beforeEach(async () => {
  await api.database.asOwner('DELETE FROM sign_in_throttles');
});

const signIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}): Promise<CallResult> =>
  api.call('POST', SESSION, { body: { email, password }, headers });
const messageOf = (reply: CallResult): string => (reply.json as { error: { message: string } }).error.message;
const bodyOf = (reply: CallResult): SessionBody['data'] => (reply.json as SessionBody).data;
const sessionsOf = (userId: string): Promise<{ id: string; token_hash: Buffer }[]> =>
  api.database.asOwner('SELECT id, token_hash FROM sign_in_sessions WHERE user_id = $1', [userId]);

describe('POST /auth/session', () => {
  it('200: who signed in, their workspaces, and a cookie that scripts cannot read', async () => {
    const person = await createPerson(api, 'admin');
    const reply = await signIn(person.email.toUpperCase());
    expect(reply.json).toEqual({
      success: true,
      data: {
        user: { id: person.userId, email: person.email, name: 'Test Person' },
        workspaces: [{ id: api.database.tenant.workspaceId, name: 'Test workspace', role: 'admin' }],
        csrfToken: expect.stringMatching(/^[\w-]{43}$/),
        authentication: { method: 'password', at: expect.any(String) },
        awaitsSecondFactor: false,
        expiresAt: expect.any(String),
      },
    });
    const cookie = reply.headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(/^service-session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    const token = tokenSetBy(reply) ?? '';
    expect(reply.text).not.toContain(token);
    const rows = await sessionsOf(person.userId);
    expect(rows.some((row) => row.token_hash.equals(hashToken(token)))).toBe(true);
    const hours = (new Date(bodyOf(reply).expiresAt).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    expect(api.replyViolations).toEqual([]);
  });

  it('sets a __Host- cookie with Secure outside the loopback', async () => {
    const { email } = await createPerson(api, 'member');
    const { host } = new URL(api.baseUrl);
    const raw = await rawSignIn(host, 'console.example.com', email);
    expect(raw).toMatch(
      /set-cookie: __Host-service-session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax; Secure\r/i,
    );
  });

  it.each([
    ['a wrong password', (person: TestPerson) => [person.email, 'wrong']],
    ['an unknown e-mail address', () => ['nobody@example.test', PASSWORD]],
  ])('401 for %s, in the same words', async (_what, attempt) => {
    const [email = '', password = ''] = attempt(await createPerson(api, 'member'));
    const reply = await signIn(email, password);
    expect([reply.status, messageOf(reply), reply.headers.get('Set-Cookie')]).toEqual([
      401,
      'Authentication failed: the e-mail address or the password is wrong.',
      null,
    ]);
  });

  it('does the same work for an unknown e-mail address as for a wrong password, so that it takes as long', async () => {
    const { email } = await createPerson(api, 'member');
    const hashes = { begun: 0 };
    const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && hashes.begun++) }).enable();
    const ask = vi.spyOn(api.deps.db.directory, 'raw');
    onTestFinished(() => {
      hook.disable();
      ask.mockRestore();
    });
    const workFor = async (who: string): Promise<unknown> => {
      hashes.begun = 0;
      ask.mockClear();
      expect((await signIn(who, 'wrong')).status).toBe(401);
      return { hashes: hashes.begun, statements: ask.mock.calls.map(([, sql]) => sql) };
    };
    const known = await workFor(email);
    expect(known).toEqual({ hashes: 1, statements: expect.arrayContaining([expect.any(String)]) });
    expect(await workFor('nobody@example.test')).toEqual(known);
    // The one hash costs as much, whether it is compared with that of a user or with none.
    expect(comparisonWith(null).cost).toEqual(comparisonWith(await hashPassword(PASSWORD)).cost);
  });

  it('413 over 8 KiB: whoever sends is nobody yet', async () => {
    const reply = await signIn('somebody@example.test', 'x'.repeat(8_192));
    expect([reply.status, messageOf(reply)]).toEqual([413, 'The request body is larger than 8192 bytes (8 KiB).']);
  });

  it('400 for what is no e-mail address; 403 for a sign-in that another site sends', async () => {
    expect((await signIn('nobody')).status).toBe(400);
    const { email, userId } = await createPerson(api, 'member');
    const before = (await sessionsOf(userId)).length;
    const reply = await signIn(email, PASSWORD, { Origin: 'https://evil.example' });
    expect([reply.status, (await sessionsOf(userId)).length]).toEqual([403, before]);
    expect((await signIn(email, PASSWORD, { Origin: api.baseUrl })).status).toBe(200);
  });

  it('never takes a token over: what a browser held before the sign-in is worth nothing after it', async () => {
    const person = await createPerson(api, 'member');
    const planted = 'A'.repeat(43);
    const first = await signIn(person.email, PASSWORD, { Cookie: cookieOf(planted) });
    expect(tokenSetBy(first)).not.toBe(planted);
    expect((await api.call('GET', SESSION, { headers: { Cookie: cookieOf(planted) } })).status).toBe(401);
    const second = await signIn(person.email, PASSWORD, { Cookie: cookieOf(tokenSetBy(first) ?? '') });
    const statuses = [first, second].map(async (reply) => {
      const cookie = cookieOf(tokenSetBy(reply) ?? '');
      return (await api.call('GET', SESSION, { headers: { Cookie: cookie } })).status;
    });
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it('records the end of the session that it replaces, and not who else signs in at the browser of its user', async () => {
    const workspaceId = (await api.database.anotherWorkspace()).development.workspaceId;
    const first = await createPerson(api, 'member');
    const second = await createPerson(api, 'member', { workspaceId });
    const [again, another] = [
      await signIn(first.email, PASSWORD, { Cookie: cookieOf(first.token) }),
      // A session that ended already ends no second time.
      await signIn(second.email, PASSWORD, { Cookie: cookieOf(first.token) }),
    ];
    expect([again.status, another.status]).toEqual([200, 200]);
    const third = await signIn(second.email, PASSWORD, { Cookie: cookieOf(tokenSetBy(again) ?? '') });
    expect(third.status).toBe(200);
    const ended = await api.database.asOwner<{ workspace_id: string }>(
      `SELECT workspace_id, actor_id, target_id, details ->> 'replaced' AS replaced FROM audit_log
       WHERE action = 'session.ended' AND workspace_id IN ($1, $2) ORDER BY recorded_at`,
      [api.database.tenant.workspaceId, workspaceId],
    );
    const of = { workspace_id: api.database.tenant.workspaceId, replaced: 'true' };
    expect(ended.filter((entry) => entry.workspace_id !== workspaceId).slice(-2)).toEqual([
      { ...of, actor_id: first.userId, target_id: first.sessionId },
      { ...of, actor_id: null, target_id: expect.not.stringContaining(first.sessionId) as string },
    ]);
    expect(ended.filter((entry) => entry.workspace_id === workspaceId)).toEqual([]);
  });

  it('never logs a password or a token', async () => {
    const person = await createPerson(api, 'member');
    const token = tokenSetBy(await signIn(person.email)) ?? '';
    await signIn(person.email, 'a wrong password of somebody');
    const lines = api.logLines.join('\n');
    for (const secret of [token, PASSWORD, 'a wrong password of somebody', person.csrfToken])
      expect(lines).not.toContain(secret);
  });
});

describe('a password that is changed while it is looked at', () => {
  it.each([
    ['opens no session', 401, (person: TestPerson) => signIn(person.email)],
    [
      'changes nothing, for its session ended with the password',
      401,
      (person: TestPerson) =>
        person.call('POST', '/api/v2/auth/password', {
          body: { currentPassword: PASSWORD, newPassword: 'the password of a thief' },
        }),
    ],
  ])('%s', async (_what, status, attempt) => {
    const person = await createPerson(api, 'member');
    // The note of a first use waits for the session's row too, and would be taken for the attempt.
    await api.database.asOwner(
      `UPDATE sign_in_sessions SET last_seen_at = token_issued_at + interval '1 second' WHERE user_id = $1`,
      [person.userId],
    );
    const changed = await hashPassword('another password of theirs', CHEAP);
    const change = `WITH ended AS (DELETE FROM sign_in_sessions WHERE user_id = $1)
      UPDATE users SET password_hash = $2 WHERE id = $1`;
    const reply = await askDuring(api.database, [change, [person.userId, changed]], () => attempt(person));
    expect(reply.status).toBe(status);
    expect(await sessionsOf(person.userId)).toEqual([]);
    expect((await signIn(person.email, 'another password of theirs')).status).toBe(200);
  });
});

describe('the throttle of failures', () => {
  it('429 after five, for the right password too, at every process; and lets the account in again', async () => {
    const { email } = await createPerson(api, 'member');
    for (let failure = 0; failure < 5; failure++) expect((await signIn(email, 'wrong')).status).toBe(401);
    const blocked = await other.call('POST', SESSION, { body: { email: email.toUpperCase(), password: PASSWORD } });
    expect([blocked.status, messageOf(blocked)]).toEqual([429, expect.stringMatching(/Try again in [12] seconds/)]);
    expect(blocked.json).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
    await expect.poll(async () => (await signIn(email)).status, { interval: 200 }).toBe(200);
    expect((await signIn(email, 'wrong')).status).toBe(401);
  });

  it('doubles the pause with each failure more, to a bound', async () => {
    const { email } = await createPerson(api, 'member');
    const pauses: number[] = [];
    for (let failure = 1; failure <= 20; failure++) {
      await api.database.asOwner('UPDATE sign_in_throttles SET blocked_until = NULL');
      expect((await signIn(email, 'wrong')).status).toBe(401);
      const [row] = await api.database.asOwner<{ pause: number }>(
        'SELECT max(extract(epoch FROM blocked_until - last_failed_at))::float8 AS pause FROM sign_in_throttles',
      );
      pauses.push(Math.round(row?.pause ?? 0));
    }
    expect(pauses.slice(0, 8)).toEqual([0, 0, 0, 0, 2, 4, 8, 16]);
    expect(Math.max(...pauses)).toBe(900);
  });

  it('counts an IPv6 address as its /64, and an IPv4 address in IPv6 as the IPv4 address', async () => {
    const trustedProxies = parseAddressRanges('127.0.0.1');
    const behind = await startTestApi({ database: api.database, network: { publicUrl: null, trustedProxies } });
    const { email } = await createPerson(api, 'member');
    const from = async (address: string): Promise<number> => {
      const headers = { 'X-Forwarded-For': address };
      return (await behind.call('POST', SESSION, { body: { email, password: 'wrong' }, headers })).status;
    };
    for (let host = 1; host <= 5; host++) expect(await from(`2001:db8:1:2::${host}`)).toBe(401);
    expect(await from('2001:db8:1:2:ffff::1')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(401);
    await api.database.asOwner('DELETE FROM sign_in_throttles');
    for (let turn = 0; turn < 5; turn++) {
      expect(await from(turn % 2 === 0 ? '192.0.2.9' : '::ffff:192.0.2.9')).toBe(401);
    }
    expect([await from('::ffff:c000:209'), await from('192.0.2.9')]).toEqual([429, 429]);
    await behind.close();
  });

  it('counts attempts at once before any of them is decided', async () => {
    const { email } = await createPerson(api, 'member');
    expect((await signIn(email, 'wrong')).status).toBe(401);
    // The next failure costs minutes, which no attempt outlives on a crowded machine.
    await api.database.asOwner('UPDATE sign_in_throttles SET failures = 10');
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        (n % 2 ? api : other).call('POST', SESSION, { body: { email, password: 'wrong' } }),
      ),
    );
    expect(replies.filter((reply) => reply.status === 401)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(29);
  });

  it('lets nobody lock an account out of a place where it has signed in', async () => {
    const { email } = await createPerson(api, 'member');
    expect((await signIn(email)).status).toBe(200);
    // Strangers elsewhere have used up the account's own failures.
    const account = hashOf(['account', email]);
    await api.database.asOwner(
      "INSERT INTO sign_in_throttles (key, failures, blocked_until) VALUES ($1, 1000, now() + interval '1 minute')",
      [account],
    );
    expect((await signIn(email)).status).toBe(200);
  });

  it('makes an account wait a minute at most at a new place', async () => {
    const { email } = await createPerson(api, 'member');
    await api.database.asOwner('INSERT INTO sign_in_throttles (key, failures) VALUES ($1, 1000)', [
      hashOf(['account', email]),
    ]);
    expect((await signIn(email, 'wrong')).status).toBe(401);
    const reply = await signIn(email);
    expect(reply.status).toBe(429);
    expect(Number(/in (\d+) seconds/.exec(messageOf(reply))?.[1])).toBeLessThanOrEqual(60);
  });
});

describe('a session', () => {
  it('GET 200 the same as the sign-in; DELETE 200 ends it everywhere', async () => {
    const { email } = await createPerson(api, 'owner');
    const signedIn = await signIn(email);
    const headers = { Cookie: cookieOf(tokenSetBy(signedIn) ?? ''), Origin: other.baseUrl };
    const got = await other.call('GET', SESSION, { headers });
    expect([got.status, got.json]).toEqual([200, signedIn.json]);
    const ended = await other.call('DELETE', SESSION, {
      headers: { ...headers, 'X-CSRF-Token': bodyOf(got).csrfToken },
    });
    expect([ended.status, ended.json]).toEqual([200, { success: true, data: { deleted: true } }]);
    expect(ended.headers.get('Set-Cookie')).toMatch(/^service-session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect((await api.call('GET', SESSION, { headers })).status).toBe(401);
  });

  it.each([
    ['after its lifetime', "expires_at = now() - interval '1 second'"],
    ['after an hour without a request', "last_seen_at = now() - interval '61 minutes'"],
  ])('401 %s', async (_when, change) => {
    const person = await createPerson(api, 'member');
    expect((await person.call('GET', SESSION)).status).toBe(200);
    await api.database.asOwner(`UPDATE sign_in_sessions SET ${change} WHERE id = $1`, [person.sessionId]);
    const reply = await person.call('GET', SESSION);
    expect([reply.status, messageOf(reply)]).toEqual([401, 'Authentication failed. Sign in, then try again.']);
  });

  it('stays alive by its requests', async () => {
    const person = await createPerson(api, 'member');
    await api.database.asOwner(
      "UPDATE sign_in_sessions SET last_seen_at = now() - interval '59 minutes' WHERE id = $1",
      [person.sessionId],
    );
    expect((await person.call('GET', SESSION)).status).toBe(200);
    const idleSeconds = async (): Promise<number> =>
      (
        await api.database.asOwner<{ idle: number }>(
          'SELECT extract(epoch FROM now() - last_seen_at)::float8 AS idle FROM sign_in_sessions WHERE id = $1',
          [person.sessionId],
        )
      )[0]?.idle ?? Infinity;
    await expect.poll(idleSeconds).toBeLessThan(10);
  });

  it('gets another token every 15 minutes; of requests at once one gets it, and none fails', async () => {
    const person = await createPerson(api, 'member');
    await api.database.asOwner(
      "UPDATE sign_in_sessions SET token_issued_at = now() - interval '16 minutes' WHERE id = $1",
      [person.sessionId],
    );
    const replies = await Promise.all(Array.from({ length: 8 }, () => person.call('GET', SESSION)));
    expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(200));
    const tokens = replies.map(tokenSetBy).filter((token) => token !== null);
    expect(tokens).toHaveLength(1);
    const renewed = personOf(api, { ...person, token: tokens[0] ?? '' });
    // The session keeps its CSRF token, so an open page continues to work.
    expect((await renewed.call('GET', SESSION)).json).toMatchObject({ data: { csrfToken: person.csrfToken } });
    expect((await person.call('GET', SESSION)).status).toBe(200);
    await api.database.asOwner('UPDATE sign_in_sessions SET previous_valid_until = now() WHERE id = $1', [
      person.sessionId,
    ]);
    expect([(await person.call('GET', SESSION)).status, (await renewed.call('GET', SESSION)).status]).toEqual([
      401, 200,
    ]);
  });

  it('keeps the token before until the new one is presented, whose reply may be lost', async () => {
    const person = await createPerson(api, 'member');
    const age = (by: string): Promise<unknown> =>
      api.database.asOwner(
        `UPDATE sign_in_sessions SET token_issued_at = token_issued_at - $2::interval, last_seen_at = last_seen_at - $2::interval,
           previous_valid_until = previous_valid_until - $2::interval WHERE id = $1`,
        [person.sessionId, by],
      );
    await age('16 minutes');
    const lost = tokenSetBy(await person.call('GET', SESSION));
    await age('10 minutes');
    const meanwhile = await person.call('GET', SESSION);
    expect([meanwhile.status, tokenSetBy(meanwhile)]).toEqual([200, null]); // the reply may be under way yet
    await age('6 minutes');
    const found = tokenSetBy(await person.call('GET', SESSION));
    expect(found).not.toBeNull();
    const [before, after] = [lost, found].map((token) => personOf(api, { ...person, token: token ?? '' }));
    expect((await before?.call('GET', SESSION))?.status).toBe(401);
    expect((await after?.call('GET', SESSION))?.status).toBe(200);
    const isEnding = async (): Promise<unknown> =>
      (
        await api.database.asOwner<{ ending: boolean }>(
          `SELECT previous_valid_until <= now() + interval '1 minute' AS ending FROM sign_in_sessions WHERE id = $1`,
          [person.sessionId],
        )
      )[0]?.ending;
    await expect.poll(isEnding).toBe(true);
  });

  it('takes the new token of a reply that came minutes later, behind others with the token before', async () => {
    const person = await createPerson(api, 'member');
    const age = (by: string): Promise<unknown> =>
      api.database.asOwner(
        `UPDATE sign_in_sessions SET token_issued_at = token_issued_at - $2::interval, last_seen_at = last_seen_at - $2::interval WHERE id = $1`,
        [person.sessionId, by],
      );
    await age('16 minutes');
    const slow = tokenSetBy(await person.call('GET', SESSION)); // as by an invocation that the person waits for
    await age('3 minutes');
    expect((await person.call('GET', SESSION)).status).toBe(200);
    expect((await personOf(api, { ...person, token: slow ?? '' }).call('GET', SESSION)).status).toBe(200);
  });

  it('takes a use of the token before for none of the new one, whose reply may be lost', async () => {
    const person = await createPerson(api, 'member');
    const presented = hashToken(person.token);
    const aged = `UPDATE sign_in_sessions SET token_issued_at = token_issued_at - interval '16 minutes', last_seen_at = last_seen_at - interval '16 minutes' WHERE id = $1`;
    await api.database.asOwner(aged, [person.sessionId]);
    const { db } = api.database;
    expect(await db.withUser(person.userId, (tx) => rotateSessionToken(tx, presented))).not.toBeNull();
    // A request that was read before the rotation writes its use behind it.
    await db.withUser(person.userId, (tx) => touchSession(tx, presented));
    const ending = `SELECT previous_valid_until = expires_at AND last_seen_at = token_issued_at AS kept FROM sign_in_sessions WHERE id = $1`;
    expect(await api.database.asOwner(ending, [person.sessionId])).toEqual([{ kept: true }]);
  });

  it('POST /auth/password 200 ends every session but the one that it starts; 403 for a wrong password', async () => {
    const person = await createPerson(api, 'member');
    const body = { currentPassword: 'wrong', newPassword: 'another battery staple' };
    expect((await person.call('POST', '/api/v2/auth/password', { body })).status).toBe(403);
    const second = await signIn(person.email);
    const changed = await person.call('POST', '/api/v2/auth/password', {
      body: { ...body, currentPassword: PASSWORD },
    });
    expect(changed.status).toBe(200);
    expect(await sessionsOf(person.userId)).toHaveLength(1);
    const statuses = [person.token, tokenSetBy(second), tokenSetBy(changed)].map(
      async (token) => (await other.call('GET', SESSION, { headers: { Cookie: cookieOf(token ?? '') } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
    expect((await signIn(person.email)).status).toBe(401);
    expect((await signIn(person.email, body.newPassword)).status).toBe(200);
  });
});

function hashOf(parts: string[]): Buffer {
  return hashToken(JSON.stringify(parts));
}

/** fetch does not let a test choose the Host header. */
async function rawSignIn(address: string, host: string, email: string): Promise<string> {
  const { connect } = await import('node:net');
  const [name = '', port = ''] = address.split(':');
  const body = JSON.stringify({ email, password: PASSWORD });
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), name, () => {
      socket.write(
        `POST ${SESSION} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}
