import type { JsonObject } from '../../../domain/json.ts';
import type { TestService } from '../../harness/service.ts';
import type { Target } from '../../harness/target.ts';
import { putPolicy } from '../approvals/support.ts';
import { invoke } from '../invocations/support.ts';

/** A day of a shop whose agent answers customers: what the pictures of docs/console.md show. */
export interface Story {
  unknownEffect: string;
  run: string;
  approval: string;
  policy: string;
}

const MONEY = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }];
const REFUND_INPUT = {
  type: 'object',
  additionalProperties: false,
  required: ['payment', 'amount'],
  properties: {
    payment: { type: 'string', description: 'The payment that is paid back' },
    amount: { type: 'integer', minimum: 1, description: 'In cents' },
    reason: { enum: ['damaged', 'late', 'unwanted'] },
  },
};

export async function tell(service: TestService, target: Pick<Target, 'baseUrl'>): Promise<Story> {
  const made = async (path: string, body: JsonObject): Promise<Record<string, string>> => {
    const reply = await service.post(path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
    return (reply.json as { data: Record<string, string> }).data;
  };
  await defineActions(made, target);
  const { id: policy } = await putPolicy(service, {
    schema: 'approval-policy/v1',
    name: 'refunds',
    rules: [
      {
        id: 'over-500-usd',
        match: { actions: ['refund.*'] },
        when: 'input.amount > 50000',
        effect: 'require_approval',
        approval: { quorum: 1, expiresIn: 'PT2H' },
      },
      { id: 'rest', match: { actions: ['refund.*'] }, effect: 'allow' },
    ],
  });
  await made('/api/v2/impact-limits', {
    name: 'refunds a day',
    dimension: 'money',
    currency: 'usd',
    cap: 200_000,
    period: 'day',
  });
  const run = await aRun(made);
  const agent = { agentId: 'support-bot', runId: run };
  for (const [payment, amount] of [
    ['pay_1001', 1_250],
    ['pay_1002', 20_000],
    ['pay_1007', 48_000],
  ] as const) {
    await invoke(service, 'refund.create', { input: { payment, amount }, ...agent });
  }
  await invoke(service, 'customer.notify', { input: { to: 'ada@example.com' }, ...agent });
  const lost = await invoke(service, 'refund.by_wire', { input: { payment: 'pay_1011', amount: 49_900 }, ...agent });
  const asked = await invoke(service, 'refund.create', { input: { payment: 'pay_1004', amount: 60_000 }, ...agent });
  for (const [url, label] of [
    ['/echo', 'order 4711'],
    ['/echo', 'order 4712'],
    ['/status?status=410', 'order 4713'],
  ]) {
    await made('/api/v2/messages/publish', { url: `${target.baseUrl}${url}`, label: label ?? '', maxRetries: 0 });
  }
  await made('/api/v2/schedules', {
    name: 'nightly statement',
    cron: '0 3 * * *',
    destination: { url: `${target.baseUrl}/echo` },
  });
  // A workspace of some days: its charts begin before its first hour.
  await service.database.asOwner(`UPDATE workspaces SET created_at = created_at - interval '3 days'`);
  const { approvalId } = asked.invocation;
  const { effectId } = lost.invocation;
  if (approvalId === null || effectId === null) throw new Error(`${asked.text} ${lost.text}`);
  return { run, policy, unknownEffect: effectId, approval: approvalId };
}

type Made = (path: string, body: JsonObject) => Promise<Record<string, string>>;

async function defineActions(made: Made, target: Pick<Target, 'baseUrl'>): Promise<void> {
  const http = (path: string): JsonObject => ({
    type: 'http.request',
    config: { method: 'POST', url: `${target.baseUrl}${path}`, body: '{{input}}' },
  });
  const refund = { inputSchema: REFUND_INPUT, governed: true, impact: MONEY };
  await made('/api/v2/actions', {
    name: 'refund.create',
    description: 'Pays back a part of a payment.',
    adapter: http('/echo'),
    ...refund,
  });
  await made('/api/v2/actions', {
    name: 'refund.by_wire',
    description: 'Pays back by bank transfer.',
    adapter: http('/status?status=503'),
    ...refund,
  });
  await made('/api/v2/actions', {
    name: 'customer.notify',
    description: 'Sends a customer an e-mail.',
    adapter: http('/echo'),
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    governed: true,
    impact: [{ dimension: 'emails', amount: { const: 1 }, bound: 'exact' }],
  });
}

async function aRun(made: Made): Promise<string> {
  const { id = '' } = await made('/api/v2/runs', { agentId: 'support-bot', name: 'Answer ticket 812' });
  const began = Date.now() - 14_000;
  const span = (
    at: number,
    parent: number | null,
    name: string,
    kind: string,
    from: number,
    to: number,
  ): JsonObject => ({
    id: at.toString(16).padStart(16, '0'),
    ...(parent === null ? {} : { parentId: parent.toString(16).padStart(16, '0') }),
    name,
    kind,
    status: 'succeeded',
    startedAt: new Date(began + from).toISOString(),
    endedAt: new Date(began + to).toISOString(),
  });
  await made(`/api/v2/runs/${id}/spans`, {
    spans: [
      span(1, null, 'answer the customer', 'agent', 0, 13_200),
      span(2, 1, 'read the ticket', 'tool', 100, 900),
      span(3, 1, 'plan', 'model', 900, 4_100),
      span(4, 1, 'look up the payment', 'tool', 4_100, 5_000),
      span(5, 1, 'decide what to pay back', 'model', 5_000, 9_800),
      span(6, 1, 'write the answer', 'model', 9_800, 13_200),
    ],
  });
  return id;
}
