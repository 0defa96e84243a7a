import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { appliedSchema, planSchema } from '../../../api/approval-policies/files-schemas.ts';
import { policySchema } from '../../../api/approval-policies/schemas.ts';
import { LIVE_POLICIES_MAX, LIVE_RULES_MAX } from '../../../domain/approval-policies/files.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { memberSession } from '../harness/member-session.ts';
import { dataOf, errorOf, statusAndCode } from '../invocations/support.ts';
import { POLICIES, policyClient, policyDocument, REFUNDS, type PolicyClient } from './support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** Policies from files: the content of a plan, and that it is applied atomically and only to the state it was made from. */

let client: PolicyClient;

const api = await startTestApi();
beforeEach(async () => {
  client = await policyClient(api, (await api.database.anotherWorkspace()).development);
});
checkEachReply(api);

type Plan = z.infer<typeof planSchema>;

const PAYOUTS = JSON.stringify(policyDocument({}, { name: 'payouts' }));
const file = (content: string, path = 'policy.yaml'): { path: string; content: string } => ({ path, content });
const planReply = (contents: string[], prune?: boolean): Promise<CallResult> =>
  client.post(`${POLICIES}/files/plan`, {
    files: contents.map((content, index) => file(content, `policies/${index}.yaml`)),
    ...(prune === undefined ? {} : { prune }),
  });
const plan = async (contents: string[], prune?: boolean): Promise<Plan> =>
  dataOf(await planReply(contents, prune), planSchema);
const apply = ({ planId, digest }: Pick<Plan, 'planId' | 'digest'>, by = client): Promise<CallResult> =>
  by.post(`${POLICIES}/files/apply`, { planId, digest });
const applied = async (contents: string[], prune?: boolean): Promise<z.infer<typeof appliedSchema>> =>
  dataOf(await apply(await plan(contents, prune)), appliedSchema);
const actionsOf = ({ changes }: { changes: { name: string; action: string }[] }): string[] =>
  changes.map(({ name, action }) => `${action} ${name}`);
const ofState = ({ warnings }: Plan): Plan['warnings'] => warnings.filter(({ code }) => code.startsWith('policy_'));
const live = async (): Promise<z.infer<typeof policySchema>[]> =>
  dataOf(await client.get(POLICIES), z.array(policySchema));

describe('planning', () => {
  test('says what each file would do, and changes nothing', async () => {
    const made = await plan([REFUNDS, PAYOUTS]);
    expect(actionsOf(made)).toEqual(['create payouts', 'create refunds']);
    expect(made).toMatchObject({ baseRevision: 0, unchanged: false });
    expect(made.changes[1]).toMatchObject({ before: null, after: { name: 'refunds', priority: 10 } });
    expect(await live()).toEqual([]);
    expect(await client.revision()).toBe(0);
  });

  test('says so where nothing would change: also of a file that is written otherwise', async () => {
    await applied([REFUNDS, PAYOUTS]);
    const rows = await client.rows();
    const again = await plan([`# a comment\n${REFUNDS}`, JSON.stringify(JSON.parse(PAYOUTS), null, 8)], true);
    expect(again).toMatchObject({ unchanged: true, baseRevision: await client.revision() });
    expect(actionsOf(again)).toEqual(['none payouts', 'none refunds']);
    expect(again.changes[1]?.before).toEqual(again.changes[1]?.after);
    const nothing = dataOf(await apply(again), appliedSchema);
    expect(nothing.changes.map(({ action, version }) => [action, version])).toEqual([
      ['none', 1],
      ['none', 1],
    ]);
    expect(await client.rows()).toEqual(rows);
  });

  test('shows an update before and after, and what prune deletes; without it the others are left alone, and it says so', async () => {
    await applied([REFUNDS, PAYOUTS]);
    const changed = REFUNDS.replace('50000', '40000');
    const kept = await plan([changed]);
    expect(actionsOf(kept)).toEqual(['update refunds']);
    expect(ofState(kept)).toEqual([
      {
        path: 'files',
        code: 'policy_left_alone',
        message: 'payouts is in no file and is left alone: prune deletes it',
      },
    ]);
    expect(kept.changes[0]?.before?.rules[1]?.when).toBe('input.amount > 50000');
    expect(kept.changes[0]?.after?.rules[1]?.when).toBe('input.amount > 40000');
    const pruned = await plan([changed], true);
    expect(actionsOf(pruned)).toEqual(['delete payouts', 'update refunds']);
    expect(ofState(pruned)).toEqual([]);
    expect(pruned.digest).not.toBe(kept.digest);
  });

  test('warns of a policy that is disabled, and leaves it so', async () => {
    const { changes } = await applied([REFUNDS]);
    await client.patch(`${POLICIES}/${changes[0]?.policyId}`, { enabled: false });
    const made = await plan([REFUNDS.replace('50000', '40000')]);
    expect(ofState(made)).toEqual([
      {
        path: 'files[0].content.name',
        code: 'policy_disabled',
        message: 'refunds is disabled and stays so: applying a file does not put it in force',
      },
    ]);
    expect(dataOf(await apply(made), appliedSchema).changes[0]?.version).toBe(2);
    expect((await live())[0]?.enabled).toBe(false);
  });

  test('400: every mistake of every file by its path; one name in two files; too many files; a file that is too long', async () => {
    const reply = await planReply([REFUNDS, 'rules: [', REFUNDS]);
    expect(statusAndCode(reply)).toEqual([400, 'VALIDATION_ERROR']);
    const issues = errorOf(reply).details?.['issues'] as { path: string; message: string }[];
    expect(issues.map(({ path }) => path)).toEqual(['body.files[1].content', 'body.files[2].content.name']);
    expect(issues[1]?.message).toBe('is the name in policies/0.yaml too');
    const many = Array.from({ length: 101 }, (_, n) => JSON.stringify(policyDocument({}, { name: `p${n}` })));
    expect(statusAndCode(await planReply(many))).toEqual([400, 'VALIDATION_ERROR']);
    expect(statusAndCode(await planReply([`${REFUNDS}#${'ü'.repeat(131_072)}`]))).toEqual([400, 'VALIDATION_ERROR']);
    expect(statusAndCode(await planReply([]))).toEqual([400, 'VALIDATION_ERROR']);
    expect(statusAndCode(await planReply([1, 2, 3, 4, 5].map(() => '#'.repeat(250_000))))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
  });

  test('a member may plan and may not apply', async () => {
    const { workspaceId, environmentId } = client.tenant;
    const session = await memberSession(api, workspaceId, 'member');
    const headers = { ...session.headers, 'X-Environment-Id': environmentId };
    const body = { files: [file(REFUNDS)] };
    const made = dataOf(await api.call('POST', `${POLICIES}/files/plan`, { headers, body }), planSchema);
    const { planId, digest } = made;
    const refused = await api.call('POST', `${POLICIES}/files/apply`, { headers, body: { planId, digest } });
    expect(refused.status).toBe(403);
    expect((await apply(made)).status).toBe(200);
  });
});

describe('applying', () => {
  test('creates, changes and deletes in one go, and records each of them and the plan', async () => {
    await applied([REFUNDS, PAYOUTS]);
    const entries = (await client.audit()).length;
    const made = await plan(
      [REFUNDS.replace('50000', '40000'), JSON.stringify(policyDocument({}, { name: 'new' }))],
      true,
    );
    const result = dataOf(await apply(made), appliedSchema);
    expect(actionsOf(result)).toEqual(['create new', 'delete payouts', 'update refunds']);
    expect(result.changes.map(({ version }) => version)).toEqual([1, 1, 2]);
    expect(result.revision).toBe(await client.revision());
    expect((await live()).map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual(['new 1', 'refunds 2']);
    const audit = (await client.audit()).slice(entries);
    expect(audit.map(({ action }) => action).toSorted()).toEqual([
      'approval_policy.applied',
      'approval_policy.created',
      'approval_policy.deleted',
      'approval_policy.updated',
    ]);
    expect(audit.at(-1)).toMatchObject({
      action: 'approval_policy.applied',
      target_id: made.planId,
      details: { digest: made.digest, create: 1, update: 1, delete: 1 },
    });
    expect(audit[0]?.details).toMatchObject({ planId: made.planId });
  });

  test.each([
    [
      'a policy was changed',
      (id: string) => client.patch(`${POLICIES}/${id}`, { document: REFUNDS.replace('PT2H', 'PT1H') }),
    ],
    ['one was disabled', (id: string) => client.patch(`${POLICIES}/${id}`, { enabled: false })],
    ['one was deleted', (id: string) => client.remove(`${POLICIES}/${id}`)],
    ['one was made', () => client.post(POLICIES, { document: policyDocument() })],
  ])('409 PLAN_STALE where %s meanwhile, and nothing changes', async (_, change) => {
    const { changes } = await applied([REFUNDS]);
    const made = await plan([REFUNDS.replace('50000', '40000'), PAYOUTS]);
    expect((await change(changes[0]?.policyId ?? '')).status).toBeLessThan(300);
    const rows = await client.rows();
    const [entries, revision] = [await client.audit(), await client.revision()];
    const refused = await apply(made);
    expect(statusAndCode(refused)).toEqual([409, 'PLAN_STALE']);
    expect(errorOf(refused).details).toEqual({ baseRevision: made.baseRevision, revision });
    expect(await client.rows()).toEqual(rows);
    expect(await client.audit()).toEqual(entries);
    // It stays stale, and a new plan goes through.
    expect((await apply(made)).status).toBe(409);
    expect((await apply(await plan([REFUNDS.replace('50000', '40000'), PAYOUTS]))).status).toBe(200);
  });

  test('409 for another digest, 409 PLAN_STALE for an expired plan, and nothing changes', async () => {
    const made = await plan([REFUNDS]);
    const wrong = await apply({ ...made, digest: `sha256:${'0'.repeat(64)}` });
    expect(statusAndCode(wrong)).toEqual([409, 'CONFLICT']);
    await api.database.asOwner(`UPDATE policy_plans SET expires_at = now() WHERE id = $1`, [made.planId]);
    const expired = await apply(made);
    expect(statusAndCode(expired)).toEqual([409, 'PLAN_STALE']);
    expect(errorOf(expired).message).toContain('expired');
    expect(await live()).toEqual([]);
  });

  test('404: a plan of another environment or workspace, and one that never was', async () => {
    const made = await plan([REFUNDS]);
    const { workspaceId } = client.tenant;
    const [sibling] = await api.database.asOwner<{ id: string }>(
      `SELECT id FROM environments WHERE workspace_id = $1 AND kind = 'production'`,
      [workspaceId],
    );
    const strangers = [
      await policyClient(api, { workspaceId, environmentId: sibling?.id ?? '' }),
      await policyClient(api, (await api.database.anotherWorkspace()).development),
    ];
    for (const stranger of strangers) {
      expect(statusAndCode(await apply(made, stranger))).toEqual([404, 'NOT_FOUND']);
      expect(await stranger.revision()).toBe(0);
    }
    expect((await apply({ ...made, planId: `ppl_${'0'.repeat(22)}` })).status).toBe(404);
    expect((await apply(made)).status).toBe(200);
  });

  test('a second time answers what the first did, also after the policies changed and the plan expired', async () => {
    const made = await plan([REFUNDS]);
    const first = await apply(made);
    await client.post(POLICIES, { document: policyDocument() });
    await api.database.asOwner(
      `SET session_replication_role = 'replica'; UPDATE policy_plans SET expires_at = now() WHERE id = '${made.planId}'`,
    );
    const rows = await client.rows();
    const entries = await client.audit();
    const second = await apply(made);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(await client.rows()).toEqual(rows);
    expect(await client.audit()).toEqual(entries);
  });

  test('where two plans are applied at once one wins, and the other changes nothing', async () => {
    for (let round = 0; round < 8; round++) {
      const before = await client.revision();
      const documents = ['a', 'b'].map((which) => [
        JSON.stringify(policyDocument({}, { name: `round ${round} ${which}` })),
        REFUNDS.replace('50000', `${round}000${which === 'a' ? 1 : 2}`),
      ]);
      const plans = [await plan(documents[0] ?? []), await plan(documents[1] ?? [])];
      const replies = await Promise.all(plans.map((made) => apply(made)));
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      const loser = replies.find(({ status }) => status === 409);
      expect(loser && errorOf(loser).code).toBe('PLAN_STALE');
      const winner = replies[0]?.status === 200 ? 'a' : 'b';
      const made = (await live()).filter(({ name }) => name.startsWith(`round ${round} `));
      expect(made.map(({ name }) => name)).toEqual([`round ${round} ${winner}`]);
      expect(await client.revision()).toBe(before + 2);
    }
  });

  test('the same plan applied at once is applied once, and every request is answered alike', async () => {
    const made = await plan([REFUNDS, PAYOUTS]);
    const replies = await Promise.all([1, 2, 3, 4].map(() => apply(made)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(200);
    expect(await client.revision()).toBe(2);
  });

  test('409 and nothing changes where the environment would hold too much, also of the part that would fit', async () => {
    await applied([REFUNDS]);
    const rows = await client.rows();
    const rules = (count: number, from: number) =>
      Array.from({ length: count }, (_, n) => ({ id: `r${from + n}`, match: {}, effect: 'allow' }));
    const files = Array.from({ length: LIVE_RULES_MAX / 200 }, (_, n) =>
      JSON.stringify(policyDocument({}, { name: `many ${n}`, rules: rules(200, n * 200) })),
    );
    const refused = await apply(await plan([REFUNDS.replace('50000', '1'), ...files]));
    expect(statusAndCode(refused)).toEqual([409, 'CONFLICT']);
    expect(errorOf(refused).message).toContain(`${LIVE_RULES_MAX} rules`);
    expect(await client.rows()).toEqual(rows);
    const full = Array.from({ length: LIVE_POLICIES_MAX - 1 }, (_, n) =>
      JSON.stringify(policyDocument({}, { name: `one ${n}` })),
    );
    await applied(full);
    expect(statusAndCode(await client.post(POLICIES, { document: policyDocument() }))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await apply(await plan([PAYOUTS])))).toEqual([409, 'CONFLICT']);
  });
});
