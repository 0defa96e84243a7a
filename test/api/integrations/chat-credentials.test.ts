import { temporal } from '@temporalio/proto';
import { afterAll, expect, test, vi } from 'vitest';
import { integrationSchema } from '../../../api/integrations/schemas.ts';
import { approvalWorkflowId } from '../../../temporal/approvals/await-approval.ts';
import { startFakeDiscord } from '../../harness/providers/fake-discord.ts';
import { startFakeSlack } from '../../harness/providers/fake-slack.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { approvalIn } from '../approvals/support.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

/** Connecting chats and posting to them: what is a credential stays in the vault, and a webhook's URL is taken whole or not at all. */
const ROOT = '/api/v2/integrations';

const [slack, discord] = await Promise.all([startFakeSlack(), startFakeDiscord()]);
const service = await startTestService({ chats: { slackBaseUrl: slack.baseUrl, discordBaseUrl: discord.baseUrl } });
const webhookToken = discord.applicationWebhook.split('/').at(-1) ?? '';
afterAll(async () => {
  await Promise.all([slack?.close(), discord?.close()]);
});

async function ask(): Promise<string> {
  const body = { title: 'Deploy', summary: 'Deploys version 7.', payload: { version: 7 } };
  return approvalIn(await service.post('/api/v2/approvals', body)).id;
}

/** The bytes as the server keeps them, in which payloads are plain JSON. */
async function historyOf(approvalId: string): Promise<string> {
  const handle = service.client.workflow.getHandle(approvalWorkflowId(approvalId));
  const history = temporal.api.history.v1.History.encode(await handle.fetchHistory()).finish();
  return Buffer.from(history).toString('latin1');
}

const postsOf = (approvalId: string) =>
  service.database.asOwner<{ status: string; error: string | null }>(
    'SELECT status, error FROM chat_posts WHERE approval_id = $1 ORDER BY status',
    [approvalId],
  );

async function settled(approvalId: string, posts: object[]): Promise<void> {
  await vi.waitFor(async () => expect(await postsOf(approvalId)).toEqual(posts), {
    timeout: PATIENCE_MS,
    interval: 50,
  });
}

test('no credential is in a log, a reply or a history, whether a post succeeds, fails or is refused', async () => {
  const { botToken, signingSecret } = slack;
  const { publicKey, applicationWebhook: webhookUrl } = discord;
  const replies: CallResult[] = [];
  const kept = async (call: Promise<CallResult>): Promise<CallResult> => {
    const reply = await call;
    replies.push(reply);
    return reply;
  };
  const post = (path: string, body: unknown = {}) => kept(service.post(`${ROOT}${path}`, body));
  const patch = (path: string, body: object) =>
    kept(service.call('PATCH', `${ROOT}${path}`, { key: service.key, body }));

  // Refused first: a token that is sent with a mistake is as much of a credential.
  slack.failNext('revoked');
  expect((await post('/slack', { botToken, signingSecret })).status).toBe(400);
  expect((await post('/discord', { webhookUrl: `${webhookUrl}x`, publicKey })).status).toBe(400);
  const { id: inSlack } = dataOf(await post('/slack', { botToken, signingSecret }), integrationSchema);
  const { id: inDiscord } = dataOf(await post('/discord', { webhookUrl, publicKey }), integrationSchema);
  await patch(`/slack/${inSlack}/channel`, { channelId: 'C0APPROVALS' });
  for (const path of [`/slack/${inSlack}/test`, `/discord/${inDiscord}/test`]) {
    expect((await post(path)).status).toBe(200);
  }
  slack.failNext('revoked');
  expect((await post(`/slack/${inSlack}/test`)).status).toBe(409);
  await kept(service.get(ROOT));

  slack.failNext('unavailable');
  discord.failNext('unavailable');
  const failed = await ask();
  await settled(failed, [
    { status: 'posted', error: null },
    { status: 'posted', error: null },
  ]);
  slack.failNext('revoked');
  const refused = await ask();
  await settled(refused, [
    { status: 'posted', error: null },
    { status: 'refused', error: 'token_revoked' },
  ]);

  const histories = await Promise.all([failed, refused].map(historyOf));
  // They are the histories of these posts: each names the integration, and the first why it was tried again.
  for (const history of histories) expect(history).toContain(inSlack);
  for (const answer of ['Slack answered 503', 'Discord answered 503']) expect(histories[0]).toContain(answer);
  const places: Record<string, string> = {
    replies: replies.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n'),
    logs: [...service.logLines, ...service.workerLogLines].join('\n'),
    histories: histories.join('\n'),
  };
  expect(places['logs']).toContain('token_revoked');
  for (const [place, text] of Object.entries(places)) {
    for (const secret of [botToken, signingSecret, webhookToken]) expect(text.includes(secret), place).toBe(false);
  }
});

test.each(['?thread_id=900000000000000009', '?wait=true', '#thread'])(
  'a webhook URL that ends with %s is a 400 that says what to give: posts would go to another audience',
  async (end) => {
    const asked = discord.requests.length;
    const reply = await service.post(`${ROOT}/discord`, { webhookUrl: discord.plainWebhook + end });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('https://discord.com/api/webhooks/{id}/{token}');
    expect(reply.text).toContain('thread_id');
    expect(discord.requests).toHaveLength(asked);
  },
);
