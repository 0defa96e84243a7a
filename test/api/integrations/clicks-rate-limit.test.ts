import { afterAll, expect, test } from 'vitest';
import { setPlan } from '../../../db/plans/plans.ts';
import { newId } from '../../../domain/ids.ts';
import { buttonValue } from '../../../domain/integrations/clicks.ts';
import type { ChatProvider } from '../../../domain/integrations/integrations.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { startFakeDiscord } from '../../harness/providers/fake-discord.ts';
import { type SignedClick, startFakeSlack } from '../../harness/providers/fake-slack.ts';
import { startTestApi } from '../harness/test-api.ts';

/** Whoever has the secret of an app can sign any number of clicks: they count against the rate limit of the workspace. */
const GRACE = { id: 'U0GRACE', username: 'grace' };
const { perHour } = PLAN_TABLE.free.rateLimit ?? { perHour: null };

const ids: Record<ChatProvider, string> = { slack: '', discord: '' };
const [slack, discord] = await Promise.all([startFakeSlack(), startFakeDiscord()]);
const api = await startTestApi({ chats: { slackBaseUrl: slack.baseUrl, discordBaseUrl: discord.baseUrl } });
const { db, tenant } = api.database;
await db.withWorkspace(tenant.workspaceId, (tx) => setPlan(tx, 'free'));
const { key } = await api.createKey(tenant);
const { botToken, signingSecret } = slack;
const { publicKey, applicationWebhook: webhookUrl } = discord;
const bodies = { slack: { botToken, signingSecret }, discord: { webhookUrl, publicKey } };
for (const provider of ['slack', 'discord'] as const) {
  const reply = await api.call('POST', `/api/v2/integrations/${provider}`, { key, body: bodies[provider] });
  if (reply.status !== 201) throw new Error(reply.text);
  ids[provider] = (reply.json as { data: { id: string } }).data.id;
}
afterAll(async () => {
  await Promise.all([slack?.close(), discord?.close()]);
});

const send = (provider: ChatProvider, { body, headers }: SignedClick) =>
  api.call('POST', `/api/v2/integrations/${provider}/${ids[provider]}/interactions`, { raw: body, headers });

/** A click on an approval that does not exist. It costs a transaction and a reply like any other. */
function clickIn(provider: ChatProvider): SignedClick {
  const of = { approvalId: newId('approval'), bindingDigest: `sha256:${'0'.repeat(64)}` };
  const value = buttonValue({ ...of, decision: 'approve' });
  if (provider === 'discord') {
    const data = { component_type: 2, custom_id: value };
    return discord.interaction({ type: 3, data, member: { user: GRACE }, token: 'interaction-token' });
  }
  const blocks = [{ elements: [{ action_id: 'approve', value }] }];
  return slack.click({ ts: '1.0', channel: 'C0APPROVALS', text: '', blocks }, 'approve', GRACE);
}

async function counts(): Promise<{ clicks: number; counted: number; answers: number }> {
  const [row] = await api.database.asOwner<{ clicks: number; counted: number }>(
    'SELECT (SELECT count(*) FROM chat_clicks)::int AS clicks, (SELECT hour_used FROM rate_windows) AS counted',
  );
  return { clicks: row?.clicks ?? 0, counted: row?.counted ?? 0, answers: slack.answers.length };
}

test('a click counts as a request of its workspace, and one whose signature does not hold counts as none', async () => {
  const before = await counts();
  const taken = await send('slack', clickIn('slack'));
  expect([taken.status, taken.text]).toEqual([200, '']);
  expect(taken.headers.get('X-RateLimit-Limit')).toBe('300');
  expect((await send('discord', clickIn('discord'))).status).toBe(200);
  const forged = clickIn('discord');
  expect((await send('discord', { ...forged, body: `${forged.body} ` })).status).toBe(401);
  const { clicks, counted, answers } = before;
  expect(await counts()).toEqual({ clicks: clicks + 2, counted: counted + 2, answers: answers + 1 });
});

test('beyond the limit Slack gets a 429 and Discord a text for who clicked; nothing is recorded, and Slack is not called', async () => {
  await api.database.asOwner('UPDATE rate_windows SET hour_used = $1', [perHour]);
  const before = await counts();
  const inSlack = await send('slack', clickIn('slack'));
  expect(inSlack.status).toBe(429);
  expect(inSlack.json).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
  const inDiscord = await send('discord', clickIn('discord'));
  expect(inDiscord.status).toBe(200);
  expect(inDiscord.json).toMatchObject({ type: 4, data: { flags: 64 } });
  expect(inDiscord.text).toMatch(/Nothing was decided\. Too many requests: .* in \d+ seconds/);
  expect(await counts()).toEqual(before);
  // Discord would take the address from the app.
  expect((await send('discord', discord.interaction({ type: 1 }))).json).toEqual({ type: 1 });
});
