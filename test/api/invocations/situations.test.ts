import { expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import {
  AGAINST,
  type Condition,
  CONDITIONS,
  nameOf,
  REMEDY,
  ruled,
  type Situation,
  situations,
} from '../../domain/invocations/situations.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { randomFrom } from '../../harness/random.ts';
import type { CallResult } from '../harness/test-api.ts';

/** A dry run, a preview and an invocation (its admission and its evaluation) say the same of every situation. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const has = (situation: Situation, condition: Condition): boolean => situation.includes(condition);

/** The policies and the limit of every situation go by the names of its actions. */
async function govern(): Promise<void> {
  for (const [name, effect] of [
    ['denied', 'deny'],
    ['asked', 'require_approval'],
  ] as const) {
    const rules = [{ id: name, match: { actions: [`*${name}*`] }, effect }];
    const document = { schema: 'approval-policy/v1', name, rules };
    expect((await service.post('/api/v2/approval-policies', { document })).status).toBe(201);
  }
  const limit = { name: 'short', dimension: 'things', cap: 0, period: 'lifetime', scope: { actions: ['*short*'] } };
  expect((await service.post('/api/v2/impact-limits', limit)).status).toBe(201);
}

async function make(situation: Situation): Promise<string> {
  const reply = await service.post('/api/v2/actions', {
    name: `of.${nameOf(situation)}`,
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: `http://{{input.host}}:${new URL(target.baseUrl).port}/ok`,
        allowedHosts: [has(situation, 'blocked') ? 'elsewhere.example' : '127.0.0.1'],
        ...(has(situation, 'secret') ? { headers: { 'X-Key': '{{secret:NOT_THERE}}' } } : {}),
      },
    },
    impact: [{ dimension: 'things', amount: { path: 'input.amount' }, bound: 'exact' }],
    ...(has(situation, 'default') ? { approval: { required: true } } : {}),
  });
  expect(reply.status, reply.text).toBe(201);
  const { id } = (reply.json as { data: { id: string } }).data;
  if (has(situation, 'archived')) await service.call('DELETE', `/api/v2/actions/${id}`, { key: service.key });
  return id;
}

interface Answer {
  next?: string;
  status?: string;
  refusal?: { code: string } | null;
}

function said({ status, json }: CallResult): string {
  const { data, error } = json as { data?: Answer; error?: { details?: { refusal?: { code: string } } } };
  if (status === 404) return AGAINST.archived;
  if (status === 409) return error?.details?.refusal?.code ?? '409 without a refusal';
  if (status === 201) return 'not refused';
  return data?.refusal?.code ?? NEXT[data?.next ?? data?.status ?? ''] ?? `${status} ${JSON.stringify(json)}`;
}

const NEXT: Record<string, string> = {
  send: 'send',
  ask_for_approval: 'ask_for_approval',
  succeeded: 'send',
  pending_approval: 'ask_for_approval',
};

/** What each way says of a situation. A preview does not say whether people would be asked. */
async function ask(id: string, situation: Situation): Promise<Record<string, string>> {
  const body: JsonObject = { input: { host: '127.0.0.1', amount: has(situation, 'unbounded') ? -1 : 1 } };
  const path = `/api/v2/actions/${id}`;
  return {
    dryRun: said(await service.post(`${path}/invoke`, { ...body, dryRun: true })),
    preview: said(await service.post(`${path}/previews`, body)),
    invocation: said(await service.post(`${path}/invoke`, body)),
  };
}

function wanted(situation: Situation): Record<string, string> {
  const rule = ruled(situation);
  const isRefused = rule !== 'send' && rule !== 'ask_for_approval';
  return { dryRun: rule, preview: isRefused ? rule : 'not refused', invocation: rule };
}

const SEED = 40;
const LARGE_COUNT = 24;

/** Pairs and triples, and random larger sets. */
function tried(): Situation[] {
  const random = randomFrom(SEED);
  const larger = situations(CONDITIONS, CONDITIONS.length).filter(({ length }) => length > 3);
  const drawn = Array.from({ length: LARGE_COUNT }, () => larger[Math.floor(random() * larger.length)] ?? []);
  return [...new Map([...situations(CONDITIONS), ...drawn].map((one) => [nameOf(one), one])).values()];
}

test('every pair, every triple and random larger sets of conditions, asked in each way', async () => {
  await govern();
  const made = new Map<string, { id: string; situation: Situation }>();
  for (const situation of tried()) made.set(nameOf(situation), { id: await make(situation), situation });
  const answers: Record<string, Record<string, string>> = {};
  const { workspaceId, environmentId } = service.database.tenant;
  const askAll = async (isHalted: boolean): Promise<void> => {
    for (const [name, { id, situation }] of made)
      if (has(situation, 'halted') === isHalted) answers[name] = await ask(id, situation);
  };
  await askAll(false);
  const halting = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}/halt`;
  expect((await service.post(halting, { reason: 'the provider is down' })).status).toBe(200);
  await askAll(true);
  const rule = Object.fromEntries([...made].map(([name, { situation }]) => [name, wanted(situation)]));
  expect(answers, `seed ${SEED}: ${REMEDY}`).toEqual(rule);
});
