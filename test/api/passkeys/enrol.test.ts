import { describe, expect, it } from 'vitest';
import { SoftwareAuthenticator } from '../../harness/software-authenticator.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { challengeOf, confirm, enrol, granted, PASSKEYS, PLACE } from './support.ts';

const api = await startTestApi();

async function age(person: TestPerson, minutes: number): Promise<void> {
  const past = `UPDATE sign_in_sessions SET password_at = password_at - make_interval(mins => $2),
    second_factor_at = second_factor_at - make_interval(mins => $2) WHERE id = $1`;
  await api.database.asOwner(past, [person.sessionId, minutes]);
}

const errorOf = (json: unknown) => (json as { error: { code: string; message: string; details?: unknown } }).error;

describe('enrolling a passkey', () => {
  it('201: shows it with ten recovery codes, which a second one does not bring', async () => {
    const person = await createPerson(api, 'member');
    const challenge = await challengeOf(person, `${PASSKEYS}/options`);
    const credential = new SoftwareAuthenticator().create({ challenge, ...PLACE });
    const reply = await person.call('POST', PASSKEYS, { body: { name: 'Phone', credential } });
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    const data = granted(reply) as { passkey: object; recoveryCodes: string[] };
    expect(data.passkey).toMatchObject({ name: 'Phone', isSynced: false, lastUsedAt: null });
    expect(new Set(data.recoveryCodes).size).toBe(10);
    expect((await enrol(person, 'Laptop')).recoveryCodes).toEqual([]);
    const listed = granted(await person.call('GET', PASSKEYS)) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(['Laptop', 'Phone']);
    expect(api.replyViolations).toEqual([]);
  });

  it('asks for a person at the authenticator, and leaves out those that are enrolled', async () => {
    const person = await createPerson(api, 'member');
    const { device } = await enrol(person);
    const reply = await person.call('POST', `${PASSKEYS}/options`);
    expect((granted(reply) as { publicKey: object }).publicKey).toMatchObject({
      rp: { id: PLACE.rpId },
      authenticatorSelection: { userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [{ id: device.credentialId.toString('base64url') }],
    });
  });

  it.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another RP ID', { rpId: 'evil.example' }],
    ['without the person', { userVerified: false }],
    ['to another challenge', { challenge: 'b3RoZXI' }],
  ])('403: an answer %s', async (_, changed) => {
    const person = await createPerson(api, 'member');
    const challenge = await challengeOf(person, `${PASSKEYS}/options`);
    const device = new SoftwareAuthenticator();
    const wrong = { name: 'Phone', credential: device.create({ challenge, ...PLACE, ...changed }) };
    expect((await person.call('POST', PASSKEYS, { body: wrong })).status).toBe(403);
    const right = { name: 'Phone', credential: device.create({ challenge, ...PLACE }) };
    expect((await person.call('POST', PASSKEYS, { body: right })).status).toBe(403);
    expect(granted(await person.call('GET', PASSKEYS)) as unknown[]).toEqual([]);
  });

  it('403: a challenge that was given to sign in with', async () => {
    const person = await createPerson(api, 'member');
    await enrol(person);
    const challenge = await challengeOf(person, '/api/v2/auth/session/passkey/options');
    const credential = new SoftwareAuthenticator().create({ challenge, ...PLACE });
    expect((await person.call('POST', PASSKEYS, { body: { name: 'Phone', credential } })).status).toBe(403);
  });

  it('409: a passkey that somebody else has', async () => {
    const { device } = await enrol(await createPerson(api, 'member'));
    const person = await createPerson(api, 'member');
    const challenge = await challengeOf(person, `${PASSKEYS}/options`);
    const body = { name: 'Phone', credential: device.create({ challenge, ...PLACE }) };
    expect((await person.call('POST', PASSKEYS, { body })).status).toBe(409);
  });

  it('409: at an IP address, which names localhost; there it works', async () => {
    const local = await startTestApi({ database: api.database });
    local.deps.pagesUrl = local.baseUrl;
    const person = await createPerson(local, 'member');
    const reply = await person.call('POST', `${PASSKEYS}/options`);
    const { port } = new URL(local.baseUrl);
    expect([reply.status, errorOf(reply.json).message]).toEqual([
      409,
      `A passkey belongs to a name, and 127.0.0.1 is an IP address. Open http://localhost:${port} instead.`,
    ]);
    const origin = `http://localhost:${port}`;
    local.deps.pagesUrl = origin;
    const challenge = await challengeOf(person, `${PASSKEYS}/options`);
    const credential = new SoftwareAuthenticator().create({ challenge, rpId: 'localhost', origin });
    expect((await person.call('POST', PASSKEYS, { body: { name: 'Phone', credential } })).status).toBe(201);
  });
});

describe('changing passkeys', () => {
  it('asks for the password after five minutes, and once more for nothing', async () => {
    const person = await createPerson(api, 'member');
    await age(person, 4);
    expect((await person.call('POST', `${PASSKEYS}/options`)).status).toBe(200);
    await age(person, 2);
    const reply = await person.call('POST', `${PASSKEYS}/options`);
    expect([reply.status, errorOf(reply.json)]).toMatchObject([
      403,
      { code: 'SECOND_FACTOR_REQUIRED', details: { step: 'confirm', accepts: ['password'] } },
    ]);
    const wrong = { password: `${PASSWORD}!` };
    expect((await person.call('POST', '/api/v2/auth/session/password', { body: wrong })).status).toBe(403);
    const right = { password: PASSWORD };
    expect((await person.call('POST', '/api/v2/auth/session/password', { body: right })).status).toBe(200);
    expect((await person.call('POST', `${PASSKEYS}/options`)).status).toBe(200);
  });

  it('takes the passkey of who has one, and no password', async () => {
    const person = await createPerson(api, 'member');
    const { device, passkeyId } = await enrol(person);
    await age(person, 6);
    const refused = await person.call('DELETE', `${PASSKEYS}/${passkeyId}`);
    expect(errorOf(refused.json)).toMatchObject({
      code: 'SECOND_FACTOR_REQUIRED',
      details: { step: 'confirm', accepts: ['passkey'] },
    });
    expect((await person.call('POST', '/api/v2/auth/session/password', { body: { password: PASSWORD } })).status).toBe(
      200,
    );
    expect((await person.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(403);
    expect((await person.call('POST', `${PASSKEYS}/options`)).status).toBe(403);
    expect((await person.call('POST', '/api/v2/auth/recovery-codes')).status).toBe(403);
    expect((await confirm(person, device)).status).toBe(200);
    expect((await person.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(200);
  });

  it('takes a recovery code of who has lost it', async () => {
    const person = await createPerson(api, 'member');
    const { passkeyId } = await enrol(person);
    const lost = (minutesAgo: number): Promise<unknown> =>
      api.database.asOwner(
        `UPDATE sign_in_sessions SET second_factor = 'recovery_code', second_factor_at = now() - make_interval(mins => $2) WHERE id = $1`,
        [person.sessionId, minutesAgo],
      );
    await lost(6);
    expect((await person.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(403);
    await lost(4);
    expect((await person.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(200);
  });

  it('renames and removes nobody else’s', async () => {
    const { passkeyId } = await enrol(await createPerson(api, 'member'));
    const person = await createPerson(api, 'owner');
    const body = { name: 'Mine' };
    expect((await person.call('PATCH', `${PASSKEYS}/${passkeyId}`, { body })).status).toBe(404);
    expect((await person.call('DELETE', `${PASSKEYS}/${passkeyId}`)).status).toBe(404);
  });

  it('takes no API key', async () => {
    const { key } = await api.createKey(api.database.tenant);
    expect((await api.call('GET', PASSKEYS, { key })).status).toBe(403);
  });
});
