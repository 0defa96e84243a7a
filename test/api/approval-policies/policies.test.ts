import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { policySchema, policyVersionSchema } from '../../../api/approval-policies/schemas.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { memberSession } from '../harness/member-session.ts';
import { dataOf, errorOf, statusAndCode } from '../invocations/support.ts';
import { POLICIES, policyClient, policyDocument, REFUNDS, type PolicyClient } from './support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** Approval policies, a test for each status, with the database checked after. */

let client: PolicyClient;

const api = await startTestApi();
beforeEach(async () => {
  client = await policyClient(api, (await api.database.anotherWorkspace()).development);
});
checkEachReply(api);

const policyIn = (reply: CallResult): z.infer<typeof policySchema> => dataOf(reply, z.object(policySchema.shape));
const create = async (document: unknown): Promise<z.infer<typeof policySchema>> =>
  policyIn(await client.post(POLICIES, { document }));
const versionsOf = async (id: string): Promise<z.infer<typeof policyVersionSchema>[]> =>
  dataOf(await client.get(`${POLICIES}/${id}/versions`), z.array(policyVersionSchema));

describe('creating', () => {
  test('201: from YAML, with every default filled in, recorded, and the first revision', async () => {
    const reply = await client.post(POLICIES, { document: REFUNDS });
    expect(reply.status).toBe(201);
    const policy = policyIn(reply);
    expect(policy).toMatchObject({ name: 'refunds', priority: 10, enabled: true, version: 1, archivedAt: null });
    expect(policy.document.rules[1]).toEqual({
      id: 'large',
      match: { actions: ['refund.*'] },
      when: 'input.amount > 50000',
      effect: 'require_approval',
      approval: { quorum: 2, approvers: { roles: ['admin'] }, preventSelf: true, expiresIn: 'PT2H', onExpiry: 'deny' },
    });
    expect(policyIn(await client.get(`${POLICIES}/${policy.id}`))).toEqual(policy);
    expect(await client.audit()).toEqual([
      {
        action: 'approval_policy.created',
        target_id: policy.id,
        details: { name: 'refunds', version: 1, digest: expect.stringMatching(/^sha256:/) as string, enabled: true },
      },
    ]);
    expect(await client.revision()).toBe(1);
  });

  test('201: an object is the same document as its YAML', async () => {
    const [fromText] = [await create(REFUNDS)];
    await client.remove(`${POLICIES}/${fromText.id}`);
    const fromObject = await create({ ...fromText.document });
    expect(fromObject.document).toEqual(fromText.document);
    const [first, second] = [await versionsOf(fromText.id), await versionsOf(fromObject.id)];
    expect(second[0]?.digest).toBe(first[0]?.digest);
  });

  test('400: with the path of what is wrong, and nothing is stored', async () => {
    const wrong: [unknown, string][] = [
      [policyDocument({ when: 'input.amount >' }), 'body.document.rules[0].when'],
      [policyDocument({ when: 'nobody.knows == 1' }), 'body.document.rules[0].when'],
      [policyDocument({ effect: 'perhaps' }), 'body.document.rules[0].effect'],
      [policyDocument({}, { unexpected: 1 }), 'body.document.unexpected'],
      ['rules: [', 'body.document'],
      [{}, 'body.document.schema'],
    ];
    for (const [document, path] of wrong) {
      const reply = await client.post(POLICIES, { document });
      expect(statusAndCode(reply)).toEqual([400, 'VALIDATION_ERROR']);
      const issues = errorOf(reply).details?.['issues'] as { path: string }[];
      expect(issues.map((issue) => issue.path)).toContain(path);
    }
    expect(await client.revision()).toBe(0);
  });

  test('409: a live policy has the name; of requests at once one is taken', async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => client.post(POLICIES, { document: REFUNDS })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    expect(await client.revision()).toBe(1);
    expect(await client.audit()).toHaveLength(1);
  });

  test('403: a member’s session may read and may not write; an admin’s may', async () => {
    const { workspaceId, environmentId } = client.tenant;
    const call = async (role: 'member' | 'admin', method: string, body?: unknown): Promise<number> => {
      const session = await memberSession(api, workspaceId, role);
      const headers = { ...session.headers, 'X-Environment-Id': environmentId };
      return (await api.call(method, POLICIES, { headers, ...(body === undefined ? {} : { body }) })).status;
    };
    expect(await call('member', 'GET')).toBe(200);
    expect(await call('member', 'POST', { document: policyDocument() })).toBe(403);
    expect(await call('admin', 'POST', { document: policyDocument() })).toBe(201);
  });
});

describe('changing', () => {
  test('200: a document makes the next version; the one before stays as it was', async () => {
    const before = await create(REFUNDS);
    const [first] = await versionsOf(before.id);
    const after = policyIn(
      await client.patch(`${POLICIES}/${before.id}`, {
        document: REFUNDS.replace('50000', '40000'),
        expectedVersion: 1,
      }),
    );
    expect(after).toMatchObject({ id: before.id, version: 2, createdAt: before.createdAt });
    expect(after.document.rules[1]?.when).toBe('input.amount > 40000');
    const [newest, oldest] = await versionsOf(before.id);
    expect([newest?.version, newest?.document]).toEqual([2, after.document]);
    expect(oldest).toEqual(first);
    const byNumber = await client.get(`${POLICIES}/${before.id}/versions/1`);
    expect(dataOf(byNumber, policyVersionSchema)).toEqual(first);
    expect((await client.get(`${POLICIES}/${before.id}/versions/3`)).status).toBe(404);
  });

  test('200: what alters nothing makes no version, no entry and no revision', async () => {
    const before = await create(REFUNDS);
    const rows = await client.rows();
    for (const body of [
      {},
      { enabled: true },
      { document: `# the same, written otherwise\n${JSON.stringify(before.document)}` },
      { document: { ...before.document, rules: before.document.rules }, enabled: true, expectedVersion: 1 },
    ]) {
      const reply = await client.patch(`${POLICIES}/${before.id}`, body);
      expect([reply.status, policyIn(reply)]).toEqual([200, before]);
    }
    expect(await client.rows()).toEqual(rows);
    expect(await client.audit()).toHaveLength(1);
  });

  test('200: enabled alone makes no version and moves the revision', async () => {
    const { id } = await create(REFUNDS);
    expect(policyIn(await client.patch(`${POLICIES}/${id}`, { enabled: false }))).toMatchObject({
      enabled: false,
      version: 1,
    });
    expect(await client.revision()).toBe(2);
    expect((await client.audit()).at(-1)).toMatchObject({
      action: 'approval_policy.updated',
      details: { enabled: false, version: 1 },
    });
  });

  test('200: another name is a rename, and is recorded as one; 409 where it is taken, and nothing changes', async () => {
    const other = await create(policyDocument({}, { name: 'taken' }));
    const { id } = await create(REFUNDS);
    const rows = await client.rows();
    const refused = await client.patch(`${POLICIES}/${id}`, {
      document: REFUNDS.replace('name: refunds', 'name: taken'),
    });
    expect(statusAndCode(refused)).toEqual([409, 'CONFLICT']);
    expect(await client.rows()).toEqual(rows);
    await client.patch(`${POLICIES}/${id}`, { document: REFUNDS.replace('name: refunds', 'name: payouts') });
    expect((await client.audit()).at(-1)).toMatchObject({ details: { name: 'payouts', previousName: 'refunds' } });
    expect(policyIn(await client.get(`${POLICIES}/${other.id}`))).toEqual(other);
  });

  test('409: another version than was expected; of changes at once one is taken', async () => {
    const { id } = await create(REFUNDS);
    const replies = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        client.patch(`${POLICIES}/${id}`, { document: REFUNDS.replace('50000', `6000${n}`), expectedVersion: 1 }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(await versionsOf(id)).toHaveLength(2);
  });

  test('200: changes at once without it come one after the other, each with a version of its own', async () => {
    const { id } = await create(REFUNDS);
    const replies = await Promise.all(
      [1, 2, 3, 4].map((n) => client.patch(`${POLICIES}/${id}`, { document: REFUNDS.replace('50000', `6000${n}`) })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await versionsOf(id)).map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
  });
});

test('a large document is listed by its beginning, and the policy itself has it whole', async () => {
  const rules = Array.from({ length: 60 }, (_, n) => ({
    id: `r${n}`,
    match: {},
    when: `input.amount > ${n}`,
    effect: 'allow',
  }));
  const { id, document } = await create(policyDocument({}, { rules }));
  for (const path of [POLICIES, `${POLICIES}/${id}/versions`]) {
    const reply = await client.get(`${path}?limit=100`);
    const listed = (reply.json as { data: { id?: string; document: unknown }[] }).data[0];
    expect([reply.status, listed?.document]).toEqual([
      200,
      { truncated: true, bytes: expect.any(Number), preview: expect.stringContaining('"approval-policy/v1"') },
    ]);
  }
  expect(policyIn(await client.get(`${POLICIES}/${id}`)).document).toEqual(document);
  expect((document as { rules: unknown[] }).rules).toHaveLength(60);
});

describe('deleting', () => {
  test('200: it is out of force, its name is free, its history stays; a second time changes nothing', async () => {
    const before = await create(REFUNDS);
    const deleted = policyIn(await client.remove(`${POLICIES}/${before.id}`));
    expect(deleted.archivedAt).not.toBeNull();
    const rows = await client.rows();
    expect(policyIn(await client.remove(`${POLICIES}/${before.id}`))).toEqual(deleted);
    expect(await client.rows()).toEqual(rows);
    expect((await client.audit()).map(({ action }) => action)).toEqual([
      'approval_policy.created',
      'approval_policy.deleted',
    ]);
    expect(await versionsOf(before.id)).toHaveLength(1);
    const list = async (query: string): Promise<string[]> =>
      dataOf(await client.get(`${POLICIES}${query}`), z.array(policySchema)).map(({ id }) => id);
    expect(await list('')).toEqual([]);
    expect(await list('?includeArchived=true')).toEqual([before.id]);
    const again = await create(REFUNDS);
    expect(again.id).not.toBe(before.id);
    expect(await list('?includeArchived=true&name=refunds')).toEqual([again.id, before.id]);
  });

  test('409: what is deleted no longer changes', async () => {
    const { id } = await create(REFUNDS);
    await client.remove(`${POLICIES}/${id}`);
    for (const body of [{ enabled: false }, { document: REFUNDS.replace('50000', '1') }, {}]) {
      expect(statusAndCode(await client.patch(`${POLICIES}/${id}`, body))).toEqual([409, 'CONFLICT']);
    }
  });
});
