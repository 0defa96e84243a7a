import type { TestService } from '../../harness/service.ts';
import type { Target } from '../../harness/target.ts';
import { largeRefunds, putPolicy } from '../approvals/support.ts';
import { invoke } from '../invocations/support.ts';

/** Text that others wrote and that means harm: markup, script, quotes, a character that turns what follows it, and a bell. */
export const MARKUP = `<img src=x onerror=alert(1)><script>alert(1)</script>"'&amp; \u202Egnp.exe\u0007`;
/** The same as the console shows it. */
export const MARKUP_SHOWN = MARKUP.replace('\u202E', 'U+202E').replace('\u0007', 'U+0007');

/** What policies take of it, which accept no text that cannot be shown; it stands the same in JSON. */
export const PRINTABLE_MARKUP = '<img src=x onerror=alert(1)>';

const IMPACT = [{ dimension: 'money', currency: 'usd', amount: { const: 60_000 }, bound: 'exact' }];

export type Seeded = Record<
  | 'effect'
  | 'invocation'
  | 'message'
  | 'deadLetter'
  | 'group'
  | 'schedule'
  | 'event'
  | 'topic'
  | 'subscription'
  | 'run'
  | 'session'
  | 'limit'
  | 'policy',
  string
>;

/** One record of each kind in the development environment, made by its key as an agent would. */
export async function seed(service: TestService, target: Pick<Target, 'baseUrl'>): Promise<Seeded> {
  const made = async (path: string, body: unknown, id: string): Promise<string> => {
    const reply = await service.post(path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
    return (reply.json as { data: Record<string, string> }).data[id] ?? '';
  };
  const action = (name: string, url: string) => ({
    name,
    description: MARKUP,
    adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}${url}` } },
    governed: true,
    impact: IMPACT,
  });
  const limit = await made(
    '/api/v2/impact-limits',
    { name: 'refunds a day', dimension: 'money', currency: 'usd', cap: 140_000, period: 'day' },
    'id',
  );
  await made('/api/v2/actions', action('refund.create', '/echo'), 'id');
  await made('/api/v2/actions', action('refund.lost', '/status?status=503'), 'id');
  await invoke(service, 'refund.create');
  const lost = (await invoke(service, 'refund.lost')).invocation;
  await service.post(`/api/v2/actions/effects/${lost.effectId}/notes`, { note: MARKUP });
  const publish = (body: object): Promise<string> => made('/api/v2/messages/publish', body, 'messageId');
  const topic = await made('/api/v2/events/topics', { name: 'orders', description: MARKUP }, 'id');
  const run = await made('/api/v2/runs', { agentId: 'support-bot', name: MARKUP }, 'id');
  await seedSpans(service, run);
  const session = await made('/api/v2/sessions', { name: 'A chat', userId: 'ada' }, 'id');
  await service.post(`/api/v2/sessions/${session}/messages`, { messages: [{ role: 'user', content: MARKUP }] });
  const collection = await made('/api/v2/memory/collections', { name: 'customers' }, 'id');
  await made('/api/v2/memory', { collectionId: collection, content: 'Ada prefers to be called in the morning.' }, 'id');
  return {
    topic,
    effect: lost.effectId ?? '',
    invocation: lost.id,
    limit,
    message: await publish({ url: `${target.baseUrl}/echo`, body: { text: MARKUP }, label: 'hello' }),
    deadLetter: await publish({ url: `${target.baseUrl}/status?status=410`, maxRetries: 0 }),
    group: await made(
      '/api/v2/url-groups',
      { name: 'warehouses', endpoints: [{ url: `${target.baseUrl}/echo` }] },
      'groupId',
    ),
    schedule: await made(
      '/api/v2/schedules',
      { name: 'nightly', cron: '0 3 * * *', destination: { url: `${target.baseUrl}/echo` } },
      'id',
    ),
    subscription: await made(
      `/api/v2/events/topics/${topic}/subscriptions`,
      { url: `${target.baseUrl}/echo`, eventTypes: ['*'] },
      'id',
    ),
    event: await made('/api/v2/events', { topic: 'orders', type: 'order.paid', data: { note: MARKUP } }, 'eventId'),
    run,
    session,
    policy: (
      await putPolicy(
        service,
        largeRefunds({ match: { actions: ['payout.*'], agents: [PRINTABLE_MARKUP] } }, 'payout.*'),
      )
    ).id,
  };
}

const ROOT = '00000000000000a1';

async function seedSpans(service: TestService, run: string): Promise<void> {
  const startedAt = new Date(Date.now() - 5_000).toISOString();
  const endedAt = new Date(Date.now() - 1_000).toISOString();
  const spans = [
    { id: ROOT, name: 'answer the customer', kind: 'agent', status: 'succeeded', startedAt, endedAt },
    {
      id: '00000000000000a2',
      parentId: ROOT,
      name: 'think',
      kind: 'model',
      status: 'succeeded',
      startedAt,
      endedAt,
      input: { prompt: MARKUP },
    },
    { id: '00000000000000a3', parentId: ROOT, name: 'look up', kind: 'tool', status: 'failed', startedAt, endedAt },
  ];
  const reply = await service.post(`/api/v2/runs/${run}/spans`, { spans });
  if (reply.status >= 300) throw new Error(reply.text);
}
