import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';

/** A dry run says what an invocation would do, and does none of it. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' }, amount: { type: 'integer' } },
  required: ['id', 'amount'],
  additionalProperties: false,
};

async function makeAction(name: string, more: JsonObject = {}): Promise<void> {
  const reply = await service.post('/api/v2/actions', {
    name,
    inputSchema: SCHEMA,
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: `${target.baseUrl}/things/{{input.id}}`,
        headers: { 'X-Key': '{{secret:DRY}}' },
        body: { amount: '{{input.amount}}' },
      },
    },
    ...more,
  });
  expect(reply.status, reply.text).toBe(201);
}

const INPUT = { id: 'a b', amount: 7 };
const dry = (name: string, more: JsonObject = {}) =>
  service.post(`/api/v2/actions/${name}/invoke`, { input: INPUT, dryRun: true, ...more });

/** Rows of everything that an invocation writes. */
async function written(): Promise<unknown> {
  const [row] = await service.database.asOwner(
    `SELECT (SELECT count(*) FROM invocations)::int AS invocations, (SELECT count(*) FROM effects)::int AS effects,
       (SELECT count(*) FROM impact_limit_periods)::int AS periods, (SELECT count(*) FROM budget_reservations)::int AS budgets,
       (SELECT count(*) FROM previews)::int AS previews, (SELECT count(*) FROM approvals)::int AS approvals`,
  );
  return row;
}

describe('a dry run', () => {
  it('leaves its Idempotency-Key to the invocation', async () => {
    await makeAction('dry.key', { governed: true });
    const key = { 'Idempotency-Key': 'dry-then-real' };
    const ask = (more: JsonObject) => service.post('/api/v2/actions/dry.key/invoke', { input: INPUT, ...more }, key);
    expect(((await ask({ dryRun: true })).json as { data: unknown }).data).toMatchObject({ dryRun: true });
    expect(((await ask({})).json as { data: unknown }).data).toMatchObject({ operationKey: 'dry-then-real' });
  });

  it.each([
    ['a plain action', 'dry.plain', {}],
    ['a governed action', 'dry.governed', { governed: true }],
  ])('of %s shows the request, credentials hidden, and does nothing', async (_what, name, more) => {
    await service.call('PUT', '/api/v2/secrets/DRY', { key: service.key, body: { value: 'very-secret-value' } });
    await makeAction(name, more);
    const [before, requests] = [await written(), (await target.requests()).length];
    const reply = await dry(name);
    expect([reply.status, reply.json]).toMatchObject([
      200,
      {
        data: {
          dryRun: true,
          action: { name },
          governed: 'governed' in more,
          request: {
            method: 'POST',
            url: `${target.baseUrl}/things/a%20b`,
            headers: { 'X-Key': '{{secret:DRY}}' },
            body: '{"amount":7}',
          },
          next: 'send',
          refusal: null,
          decision: { effect: 'allow' },
        },
      },
    ]);
    expect(reply.text).not.toContain('very-secret-value');
    expect([await written(), (await target.requests()).length]).toEqual([before, requests]);
  });

  it('says that a person would be asked, and that a limit would refuse', async () => {
    await makeAction('dry.asked', { approval: { required: true } });
    expect((await dry('dry.asked')).json).toMatchObject({ data: { next: 'ask_for_approval' } });
    const impact = [{ dimension: 'dry_units', amount: { path: 'input.amount' }, bound: 'exact' }];
    await makeAction('dry.limited', { impact });
    const limit = { name: 'dry', dimension: 'dry_units', cap: 5, period: 'per_effect' };
    expect((await service.post('/api/v2/impact-limits', limit)).status).toBe(201);
    const before = await written();
    expect((await dry('dry.limited')).json).toMatchObject({
      data: { next: 'refuse', refusal: { code: 'impact_limit_exceeded' }, allowances: [{ sufficient: false }] },
    });
    expect(await written()).toEqual(before);
  });

  it('400 for an input that does not fit and for what only an invocation takes, 404 for no action, 403 without the scope', async () => {
    await makeAction('dry.checked');
    expect((await dry('dry.checked', { input: { id: 'a' } })).status).toBe(400);
    const senseless = await dry('dry.checked', { dependsOn: [] });
    expect([senseless.status, senseless.text]).toEqual([400, expect.stringContaining('body.dependsOn') as string]);
    expect((await dry('dry.nothing')).status).toBe(404);
  });
});
