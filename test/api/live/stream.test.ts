import { describe, expect, it, test } from 'vitest';
import { announceSettlement } from '../../../db/invocations/changes.ts';
import { STREAMS_OF_A_PERSON_MAX } from '../../../db/announcements/invalidation-hub.ts';
import { addMember } from '../../../db/members/members.ts';
import { newId } from '../../../domain/ids.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { codeOf } from '../suites/suite.ts';
import { type Reader, readStream } from './stream-reader.ts';

const api = await startTestApi();
const { development, staging } = api.database.tenants;
const { environmentId, workspaceId } = development;
const PATH = '/api/v2/console/stream';

/** Something that the stream tells of, made by a key of the environment; resolves with its id. */
async function openApproval(key: string): Promise<string> {
  const body = { title: 'Secret plan', summary: 'Nobody hears of it', payload: { amount: 41_172 } };
  const reply = await api.call('POST', '/api/v2/approvals', { key, body });
  expect(reply.status, reply.text).toBe(201);
  return (reply.json as { data: { id: string } }).data.id;
}

describe('the stream of the console', () => {
  it('tells what changed in each environment of the workspaces, and nothing of what it holds', async () => {
    const member = await createPerson(api, 'member');
    const admin = await createPerson(api, 'admin');
    const reader = await readStream(api, member);
    for (const tenant of [development, staging]) {
      const id = await openApproval((await api.createKey(tenant)).key);
      await reader.hears({ topic: 'approvals', environmentId: tenant.environmentId, id });
    }
    const invocationId = newId('invocation');
    await api.deps.db.withEnvironment(development, (tx) => Promise.resolve(announceSettlement(tx, invocationId)));
    await reader.hears({ topic: 'invocations', environmentId, id: invocationId });
    await reader.hears({ topic: 'effects', environmentId });
    const halt = `/api/v2/workspaces/${workspaceId}/environments/${staging.environmentId}`;
    expect((await admin.call('PATCH', halt, { body: { name: 'Elsewhere' } })).status).toBe(200);
    await reader.hears({ topic: 'environments', environmentId: staging.environmentId, id: staging.environmentId });
    const invited = await admin.call('POST', `/api/v2/workspaces/${workspaceId}/members`, {
      body: { email: 'somebody@example.test' },
    });
    expect(invited.status).toBe(201);
    await expect
      .poll(() => reader.told.map(({ data }) => data))
      .toContainEqual({ topic: 'members', environmentId: null, id: expect.any(String) as string });
    const text = JSON.stringify(reader.told);
    expect(text).not.toMatch(/Secret plan|Nobody hears|41172|somebody@/);
    const members = new Set(
      reader.told.filter(({ event }) => event === 'message').flatMap(({ data }) => Object.keys(data)),
    );
    expect([...members].sort()).toEqual(['environmentId', 'id', 'topic']);
    reader.leave();
  });

  it('tells nothing of another workspace until the person is one of its members', async () => {
    const person = await createPerson(api, 'member');
    const { development: other } = await api.database.anotherWorkspace();
    const otherKey = (await api.createKey(other)).key;
    const reader = await readStream(api, person);
    const foreign = await openApproval(otherKey);
    const own = await openApproval((await api.createKey(development)).key);
    await reader.hears({ topic: 'approvals', environmentId, id: own });
    expect(JSON.stringify(reader.told)).not.toContain(foreign);
    const inviter = await createPerson(api, 'owner', { workspaceId: other.workspaceId });
    const invited = await inviter.call('POST', `/api/v2/workspaces/${other.workspaceId}/members`, {
      body: { email: person.email },
    });
    const { token } = (invited.json as { data: { token: string } }).data;
    const joined = await api.call('POST', '/api/v2/auth/invitations/accept', { body: { token, password: PASSWORD } });
    expect(joined.status, joined.text).toBe(200);
    await expect
      .poll(async () => {
        await openApproval(otherKey);
        return reader.told.some(({ data }) => data['environmentId'] === other.environmentId);
      })
      .toBe(true);
    expect(JSON.stringify(reader.told)).not.toContain(foreign);
    reader.leave();
  });

  it('tells of secrets and billing only who may read them', async () => {
    const [member, admin] = [await createPerson(api, 'member'), await createPerson(api, 'admin')];
    const [low, high] = [await readStream(api, member), await readStream(api, admin)];
    const { key } = await api.createKey(development);
    const put = await api.call('PUT', '/api/v2/secrets/pay', { key, body: { value: 'a value' } });
    const { id } = (put.json as { data: { id: string } }).data;
    await high.hears({ topic: 'secrets', environmentId, id });
    const approval = await openApproval(key);
    await low.hears({ topic: 'approvals', environmentId, id: approval });
    expect(low.told.map(({ data }) => data['topic'])).not.toContain('secrets');
    for (const reader of [low, high]) reader.leave();
  });

  it('is refused to a key with 403, and to a stranger with 401', async () => {
    const byKey = await api.call('GET', PATH, { key: (await api.createKey(development)).key });
    expect([byKey.status, codeOf(byKey)]).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect((await api.call('GET', PATH)).status).toBe(401);
    const person = await createPerson(api, 'member');
    expect((await person.call('HEAD', PATH)).status).toBe(200);
  });

  it('has so many places for a person, and one that is left is free again', async () => {
    const person = await createPerson(api, 'member');
    const readers: Reader[] = [];
    for (let count = 0; count < STREAMS_OF_A_PERSON_MAX; count++) readers.push(await readStream(api, person));
    const refused = await person.call('GET', PATH);
    expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const another = await readStream(api, await createPerson(api, 'member'));
    readers.pop()?.leave();
    const opened = async (): Promise<Reader[]> => [await readStream(api, person)];
    await expect.poll(async () => readers.push(...(await opened().catch(() => [])))).toBe(STREAMS_OF_A_PERSON_MAX);
    for (const reader of [...readers, another]) reader.leave();
    await expect.poll(() => api.deps.invalidations.size).toBe(0);
  });
});

const owner = await createPerson(api, 'owner');

describe('the stream ends with', () => {
  const changes: [string, (person: TestPerson) => Promise<unknown>][] = [
    ['a sign-out', (person) => person.call('DELETE', '/api/v2/auth/session')],
    [
      'a change of the password',
      (person) =>
        person.call('POST', '/api/v2/auth/password', {
          body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} and another` },
        }),
    ],
    ['the membership', ({ userId }) => owner.call('DELETE', `/api/v2/workspaces/${workspaceId}/members/${userId}`)],
    [
      'a statement of an operator',
      ({ sessionId }) => api.database.asOwner('DELETE FROM sign_in_sessions WHERE id = $1', [sessionId]),
    ],
  ];
  test.each(changes)('%s', async (_, change) => {
    const [person, other] = [await createPerson(api, 'member'), await createPerson(api, 'member')];
    const [reader, bystander] = [await readStream(api, person), await readStream(api, other)];
    await change(person);
    expect(await reader.ends()).toEqual({ reason: 'session_ended' });
    expect(bystander.isOver()).toBe(false);
    bystander.leave();
  });

  test('the lifetime of the session', async () => {
    const person = await createPerson(api, 'member');
    await api.database.asOwner(`UPDATE sign_in_sessions SET expires_at = now() + interval '2 seconds' WHERE id = $1`, [
      person.sessionId,
    ]);
    expect(await (await readStream(api, person)).ends()).toEqual({ reason: 'session_ended' });
  });

  test('the process', async () => {
    const second = await startTestApi({ database: api.database });
    const person = await createPerson(second, 'member');
    const reader = await readStream(second, person);
    second.deps.invalidations.stop();
    expect(await reader.ends()).toEqual({ reason: 'service_stops' });
    expect(await (await readStream(second, person)).ends()).toEqual({ reason: 'service_stops' });
  });
});

test('a member of two workspaces hears of both', async () => {
  const { development: other } = await api.database.anotherWorkspace();
  const person = await createPerson(api, 'member');
  await api.database.db.withWorkspace(other.workspaceId, (tx) => addMember(tx, person.userId, 'member'));
  const reader = await readStream(api, person);
  for (const tenant of [other, development]) {
    const id = await openApproval((await api.createKey(tenant)).key);
    await reader.hears({ topic: 'approvals', environmentId: tenant.environmentId, id });
    expect(reader.isOver()).toBe(false);
  }
  reader.leave();
});
