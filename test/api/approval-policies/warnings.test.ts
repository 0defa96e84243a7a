import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { appliedSchema, planSchema } from '../../../api/approval-policies/files-schemas.ts';
import { writtenPolicySchema } from '../../../api/approval-policies/schemas.ts';
import { writtenLimitSchema } from '../../../api/impact-limits/schemas.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { createRefundAction, POLICIES, policyClient, policyDocument, type PolicyClient } from './support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** A policy or a limit that names an unknown action or field is stored, and the reply warns its author. */

let client: PolicyClient;

const api = await startTestApi();
beforeEach(async () => {
  client = await policyClient(api, (await api.database.anotherWorkspace()).development);
  await createRefundAction(client, {
    inputSchema: {
      type: 'object',
      required: ['amount'],
      properties: { amount: { type: 'integer' } },
      additionalProperties: false,
    },
  });
});
checkEachReply(api);

const TYPO = { id: 'typo', match: { actions: ['refnd.*'] }, effect: 'deny' };
const IMPOSSIBLE = { id: 'impossible', match: { actions: ['refund.*'] }, when: 'input.amuont > 5', effect: 'deny' };
const FINE = { id: 'fine', match: { actions: ['refund.*'] }, when: 'input.amount > 5', effect: 'deny' };
const documentOf = (rules: JsonObject[], name = 'refunds'): JsonObject => policyDocument({}, { name, rules });
const said = ({ warnings }: { warnings: { path: string; code: string }[] }): string[] =>
  warnings.map(({ path, code }) => `${path} ${code}`);

const planned = async (...documents: JsonObject[]): Promise<z.infer<typeof planSchema>> =>
  dataOf(
    await client.post(`${POLICIES}/files/plan`, {
      files: documents.map((document, index) => ({ path: `${index}.json`, content: JSON.stringify(document) })),
    }),
    planSchema,
  );

describe('a policy', () => {
  it('is created and changed with what may be a slip in it', async () => {
    const reply = await client.post(POLICIES, { document: documentOf([FINE, TYPO, IMPOSSIBLE]) });
    const made = dataOf(reply, writtenPolicySchema);
    expect(made.warnings).toEqual([
      {
        path: 'document.rules[1].match.actions[0]',
        code: 'matches_no_action',
        message: 'refnd.* matches no action of this environment; did you mean refund.*?',
      },
      {
        path: 'document.rules[2].when',
        code: 'impossible_member',
        message:
          'reads input.amuont, which refund.create cannot have: evaluating it fails, which denies; did you mean amount?',
      },
    ]);
    const path = `${POLICIES}/${made.id}`;
    const disabled = dataOf(await client.patch(path, { enabled: false }), writtenPolicySchema);
    expect(said(disabled)).toEqual(said(made));
    const mended = dataOf(await client.patch(path, { document: documentOf([FINE]) }), writtenPolicySchema);
    expect(mended.warnings).toEqual([]);
  });

  it('is told apart by what its own environment has', async () => {
    const other = await policyClient(api, (await api.database.anotherWorkspace()).development);
    const reply = await other.post(POLICIES, { document: documentOf([FINE]) });
    expect(said(dataOf(reply, writtenPolicySchema))).toEqual(['document.rules[0].match.actions[0] matches_no_action']);
  });
});

describe('files', () => {
  it('are planned and applied with the warnings of each', async () => {
    const plan = await planned(documentOf([TYPO], 'b'), documentOf([FINE, IMPOSSIBLE], 'a'));
    expect(said(plan)).toEqual([
      'files[0].content.rules[0].match.actions[0] matches_no_action',
      'files[1].content.rules[1].when impossible_member',
    ]);
    const body = { planId: plan.planId, digest: plan.digest };
    const first = await client.post(`${POLICIES}/files/apply`, body);
    expect(said(dataOf(first, appliedSchema))).toEqual([
      'changes[0].after.rules[1].when impossible_member',
      'changes[1].after.rules[0].match.actions[0] matches_no_action',
    ]);
    expect((await client.post(`${POLICIES}/files/apply`, { ...body, failOnWarnings: true })).json).toEqual(first.json);
  });

  it('are refused with `failOnWarnings`, and nothing changes', async () => {
    const plan = await planned(documentOf([FINE, TYPO]));
    const body = { planId: plan.planId, digest: plan.digest, failOnWarnings: true };
    const refused = await client.post(`${POLICIES}/files/apply`, body);
    expect([refused.status, errorOf(refused).code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(errorOf(refused).details?.['warnings']).toEqual([
      {
        path: 'changes[0].after.rules[1].match.actions[0]',
        code: 'matches_no_action',
        message: 'refnd.* matches no action of this environment; did you mean refund.*?',
      },
    ]);
    expect(await client.revision()).toBe(0);
    const clean = await planned(documentOf([FINE]));
    const applied = await client.post(`${POLICIES}/files/apply`, {
      planId: clean.planId,
      digest: clean.digest,
      failOnWarnings: true,
    });
    expect(dataOf(applied, appliedSchema).warnings).toEqual([]);
  });

  it('that are in force already are looked at again', async () => {
    const first = await planned(documentOf([FINE]));
    await client.post(`${POLICIES}/files/apply`, { planId: first.planId, digest: first.digest });
    const again = await planned(documentOf([FINE]));
    expect(again).toMatchObject({ unchanged: true, warnings: [] });
    await client.remove('/api/v2/actions/refund.create');
    const refused = await client.post(`${POLICIES}/files/apply`, {
      planId: again.planId,
      digest: again.digest,
      failOnWarnings: true,
    });
    expect(errorOf(refused).details?.['warnings']).toHaveLength(1);
  });
});

describe('an impact limit', () => {
  it('is created and changed with what may be a slip in it', async () => {
    const limit = { name: 'refunds', dimension: 'money', currency: 'usd', cap: 5, period: 'day' };
    const scope = { actions: ['refnd.create'], apiKeys: ['key_0000000000000000000000'] };
    const made = dataOf(await client.post('/api/v2/impact-limits', { ...limit, scope }), writtenLimitSchema);
    expect(made.warnings).toEqual([
      {
        path: 'scope.apiKeys[0]',
        code: 'matches_no_key',
        message: 'is no active key of this environment: key_0000000000000000000000',
      },
      {
        path: 'scope.actions[0]',
        code: 'matches_no_action',
        message: 'refnd.create matches no action of this environment; did you mean refund.create?',
      },
    ]);
    const changed = await client.patch(`/api/v2/impact-limits/${made.id}`, { cap: 6 });
    expect(said(dataOf(changed, writtenLimitSchema))).toEqual(said(made));
    const fine = await client.post('/api/v2/impact-limits', {
      ...limit,
      name: 'fine',
      scope: { actions: ['refund.*'] },
    });
    expect(dataOf(fine, writtenLimitSchema).warnings).toEqual([]);
    const mony = { name: 'mony', dimension: 'mony', cap: 5, period: 'day' };
    expect(said(dataOf(await client.post('/api/v2/impact-limits', mony), writtenLimitSchema))).toEqual([
      'dimension unknown_dimension',
    ]);
  });
});
