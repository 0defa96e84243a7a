import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { foundBy } from '../../harness/found-by.ts';
import { startFakeDiscord } from '../../harness/providers/fake-discord.ts';
import { type SignedClick, signSlack, startFakeSlack } from '../../harness/providers/fake-slack.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { PAGES_URL, startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { type Approval, approvalIn, untilStatus } from '../approvals/support.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { invocationIn } from '../invocations/support.ts';

/** Clicks in Slack and Discord decide an approval, as the member that the chat user is linked to, and only then. */
const GRACE = { id: 'U0GRACE', username: 'grace' };
const ADA = { id: 'U0ADA', username: 'ada' };
const MALLORY = { id: 'U0MALLORY', username: 'mallory' };

const ids: Record<'slack' | 'discord', string> = { slack: '', discord: '' };
const [slack, discord] = await Promise.all([startFakeSlack(), startFakeDiscord()]);
const chats = { slackBaseUrl: slack.baseUrl, discordBaseUrl: discord.baseUrl };
const [service, target] = await Promise.all([startTestService({ chats }), startTarget()]);
const [grace, ada] = await Promise.all([createPerson(service, 'admin'), createPerson(service, 'admin')]);
const { botToken, signingSecret } = slack;
ids.slack = await idOf(service.post('/api/v2/integrations/slack', { botToken, signingSecret }));
const { publicKey, applicationWebhook: webhookUrl } = discord;
ids.discord = await idOf(service.post('/api/v2/integrations/discord', { webhookUrl, publicKey }));
await patch(`slack/${ids.slack}/channel`, { channelId: 'C0APPROVALS' });
beforeEach(() => {
  slack.messages.length = 0;
  slack.answers.length = 0;
  discord.messages.length = 0;
});
afterAll(async () => {
  await Promise.all([target.stop(), slack.close(), discord.close()]);
});

async function idOf(call: Promise<{ status: number; text: string; json: unknown }>): Promise<string> {
  const { status, text, json } = await call;
  if (status !== 201) throw new Error(text);
  return (json as { data: { id: string } }).data.id;
}

function patch(path: string, body: JsonObject) {
  return service.call('PATCH', `/api/v2/integrations/${path}`, { key: service.key, body });
}

/** An invocation that a person must agree to, and its approval. */
async function ask(): Promise<{ invocationId: string; approval: Approval }> {
  const name = `page.${Math.random().toString(36).slice(2, 10)}`;
  const config = { method: 'POST', url: `${target.baseUrl}/echo`, body: { text: '{{input.text}}' } };
  const action = {
    name,
    adapter: { type: 'http.request', config },
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    approval: { required: true },
  };
  await idOf(service.post('/api/v2/actions', action));
  const reply = invocationIn(
    await service.post(`/api/v2/actions/${name}/invoke`, { input: { text: '<!channel> *boo* & more' } }),
  );
  const approval = approvalIn(await service.get(`/api/v2/approvals/${reply.approvalId}`));
  return { invocationId: reply.id, approval };
}

/** A free-standing approval of two people. */
async function askTwo(): Promise<Approval> {
  const body = { title: 'Deploy', summary: 'Deploys version 7.', payload: { version: 7 }, quorum: 2 };
  return approvalIn(await service.post('/api/v2/approvals', body));
}

const posted = <T>(messages: T[], approval: Approval): Promise<T> =>
  vi.waitFor(
    () => {
      const found = messages.find((message) => JSON.stringify(message).includes(approval.bindingDigest.slice(7)));
      if (found === undefined) throw new Error('it was not posted yet');
      return found;
    },
    { timeout: PATIENCE_MS, interval: 25 },
  );

async function send(provider: 'slack' | 'discord', { body, headers }: SignedClick, to = ids) {
  const response = await fetch(`${service.baseUrl}/api/v2/integrations/${provider}/${to[provider]}/interactions`, {
    method: 'POST',
    body,
    headers,
  });
  return { status: response.status, text: await response.text() };
}

/** The reply to the user who clicked. */
async function clickSlack(click: SignedClick): Promise<JsonObject> {
  const before = slack.answers.length;
  expect(await send('slack', click)).toEqual({ status: 200, text: '' });
  expect(slack.answers).toHaveLength(before + 1);
  return slack.answers.at(-1) ?? {};
}

async function clickDiscord(click: SignedClick): Promise<{ type: number; data: JsonObject }> {
  const { status, text } = await send('discord', click);
  expect(status, text).toBe(200);
  return JSON.parse(text) as { type: number; data: JsonObject };
}

async function link(person: TestPerson, told: unknown): Promise<void> {
  const [, path = '', code = ''] = /POST (\S+) with \{"code":"(\w+)"\}/.exec(String(told)) ?? [];
  const reply = await person.call('POST', path, { body: { code } });
  expect(reply.status, reply.text).toBe(201);
  // It is redeemed once.
  expect((await person.call('POST', path, { body: { code } })).status).toBe(409);
}

const now = async (approval: Approval): Promise<Approval> =>
  approvalIn(await service.get(`/api/v2/approvals/${approval.id}`));

test('Slack: an unlinked user is offered a code and decides nothing; once linked, their click decides, and the action runs', async () => {
  const { invocationId, approval } = await ask();
  const message = await posted(slack.messages, approval);
  const shown = JSON.stringify(message.blocks);
  expect(shown).toContain('<!channel> *boo* & more');
  expect(shown).not.toContain('mrkdwn');
  expect(message.text).not.toContain('<!channel>');
  expect(shown).toContain(`${PAGES_URL}/console/environments/`);
  expect(shown).toContain(approval.id);

  const told = await clickSlack(slack.click(message, 'approve', GRACE));
  expect(told).toMatchObject({ response_type: 'ephemeral', replace_original: false });
  expect((await now(approval)).decisions).toEqual([]);
  await link(grace, told['text']);

  const click = slack.click(message, 'approve', GRACE);
  expect(await clickSlack(click)).toMatchObject({ replace_original: true });
  expect((await untilStatus(service, invocationId, ['succeeded'])).status).toBe('succeeded');
  const { decisions } = await now(approval);
  expect(decisions).toMatchObject([
    {
      actor: { type: 'user', id: grace.userId },
      decision: 'approve',
      authentication: {
        method: 'chat',
        sessionId: null,
        role: 'admin',
        chat: { provider: 'slack', integrationId: ids.slack, userId: 'U0GRACE', userName: 'grace' },
      },
    },
  ]);
  const [entry] = await service.database.asOwner<{ actor_id: string; details: JsonObject }>(
    `SELECT actor_id, details FROM audit_log WHERE action = 'approval.approved' AND target_id = $1`,
    [approval.id],
  );
  expect(entry).toMatchObject({
    actor_id: grace.userId,
    details: { chat: { provider: 'slack', integrationId: ids.slack, userId: 'U0GRACE' } },
  });

  // Slack's own retry carries a header more and is answered the same.
  const retried = { ...click, headers: { ...click.headers, 'X-Slack-Retry-Num': '1' } };
  expect(await clickSlack(retried)).toEqual(slack.answers.at(-2));
  expect((await now(approval)).decisions).toHaveLength(1);
});

test('Slack: what is forged, stale or for another integration gets 401, and decides nothing', async () => {
  const approval = await askTwo();
  const message = await posted(slack.messages, approval);
  const { body } = slack.click(message, 'approve', GRACE);
  const seconds = Math.floor(Date.now() / 1000);
  const { signingSecret } = slack;
  const forged: [string, Record<string, string>, string][] = [
    ['no signature', { 'Content-Type': 'application/x-www-form-urlencoded' }, body],
    ['another secret', signSlack('another', body, seconds), body],
    ['another body', signSlack(signingSecret, body, seconds), body.replace('U0GRACE', 'U0OTHER')],
    ['six minutes old', signSlack(signingSecret, body, seconds - 360), body],
    ['six minutes ahead', signSlack(signingSecret, body, seconds + 360), body],
    [
      'a later time than it signs',
      { ...signSlack(signingSecret, body, seconds - 200), 'X-Slack-Request-Timestamp': String(seconds) },
      body,
    ],
  ];
  for (const [what, headers, sent] of forged)
    expect((await send('slack', { body: sent, headers })).status, what).toBe(401);
  const elsewhere = `${service.baseUrl}/api/v2/integrations/slack/${ids.discord}/interactions`;
  const { status } = await fetch(elsewhere, { method: 'POST', body, headers: signSlack(signingSecret, body, seconds) });
  expect(status).toBe(401);
  expect(slack.answers).toEqual([]);
  expect((await now(approval)).decisions).toEqual([]);
});

test('Slack: a click in another workspace where the same app is installed decides nothing, whoever has the id of the user there', async () => {
  const approval = await askTwo();
  const message = await posted(slack.messages, approval);
  const { body } = slack.click(message, 'approve', GRACE);
  const payload = JSON.parse(new URLSearchParams(body).get('payload') ?? '') as JsonObject;
  for (const of of [
    { user: { ...GRACE, team_id: 'T0OTHER' } },
    { user: GRACE, team: { id: 'T0OTHER' } },
    { team: null, user: GRACE },
  ]) {
    const sent = new URLSearchParams({ payload: JSON.stringify({ ...payload, ...of }) }).toString();
    const headers = signSlack(slack.signingSecret, sent, Math.floor(Date.now() / 1000));
    expect((await clickSlack({ body: sent, headers }))['text']).toContain('another Slack workspace');
  }
  expect((await now(approval)).decisions).toEqual([]);
});

test('a click on a message of another environment, which comes here because the app has one address, says where to decide', async () => {
  const approval = await askTwo();
  const { body } = slack.click(await posted(slack.messages, approval), 'approve', GRACE);
  const elsewhere = discord.click(await posted(discord.messages, approval), 'Approve', { id: '1', username: 'ada' });
  const { staging } = service.database.tenants;
  const { key } = await service.createKey(staging);
  const connect = async (provider: 'slack' | 'discord', credential: JsonObject): Promise<string> =>
    idOf(service.call('POST', `/api/v2/integrations/${provider}`, { key, body: credential }));
  const { botToken, signingSecret } = slack;
  const { publicKey, applicationWebhook: webhookUrl } = discord;
  const inStaging = {
    slack: await connect('slack', { botToken, signingSecret }),
    discord: await connect('discord', { webhookUrl, publicKey }),
  };
  const headers = signSlack(signingSecret, body, Math.floor(Date.now() / 1000));
  expect((await send('slack', { body, headers }, inStaging)).status).toBe(200);
  expect(slack.answers.at(-1)).toMatchObject({
    text: expect.stringContaining('the Request URL of this app') as string,
  });
  const told = await send('discord', elsewhere, inStaging);
  expect(told.text).toContain('the Interactions Endpoint URL of this app');
  // Nobody is asked to link themselves where their click can decide nothing.
  expect(JSON.stringify(slack.answers) + told.text).not.toContain('"code');
  expect((await now(approval)).decisions).toEqual([]);
});

test('Slack: a second vote of the same person, a changed digest and a replay are refused; a second person fills the quorum', async () => {
  const approval = await askTwo();
  const message = await posted(slack.messages, approval);
  // Mallory's click was recorded while nobody knew who that is. Sent again once Mallory is linked, it decides nothing.
  const recorded = slack.click(message, 'deny', MALLORY);
  const offered = await clickSlack(recorded);
  await link(await createPerson(service, 'admin'), offered['text']);
  expect(JSON.stringify(await clickSlack(recorded))).not.toContain('code":"');
  expect((await now(approval)).status).toBe('pending');

  const changed = {
    ...message,
    blocks: JSON.parse(
      JSON.stringify(message.blocks).replaceAll(approval.bindingDigest.slice(7), 'f'.repeat(64)),
    ) as JsonObject[],
  };
  expect((await clickSlack(slack.click(changed, 'approve', GRACE)))['text']).toContain('bindingDigest');
  expect((await clickSlack(slack.click(changed, 'deny', GRACE)))['text']).toContain('bindingDigest');
  expect(await clickSlack(slack.click(message, 'approve', GRACE))).toMatchObject({ response_type: 'ephemeral' });
  expect((await clickSlack(slack.click(message, 'approve', GRACE)))['text']).toContain('decided');
  const byHand = await grace.call('POST', `/api/v2/approvals/${approval.id}/approve`, {
    body: { bindingDigest: approval.bindingDigest },
    headers: { 'X-Environment-Id': service.database.tenant.environmentId },
  });
  expect(byHand.status).toBe(409);
  expect(await now(approval)).toMatchObject({ status: 'pending', quorum: { required: 2, received: 1 } });

  await link(ada, (await clickSlack(slack.click(message, 'approve', ADA)))['text']);
  expect(await clickSlack(slack.click(message, 'approve', ADA))).toMatchObject({ replace_original: true });
  expect(await now(approval)).toMatchObject({ status: 'approved', quorum: { required: 2, received: 2 } });
});

test('Discord: PING is answered, a bad signature gets 401, and a linked member decides by a click', async () => {
  expect(await clickDiscord(discord.interaction({ type: 1 }))).toEqual({ type: 1 });
  const ping = discord.interaction({ type: 1 });
  expect((await send('discord', { ...ping, body: ping.body.replace('1', '3') })).status).toBe(401);
  const bad = { ...ping.headers, 'X-Signature-Ed25519': 'zz' };
  expect((await send('discord', { ...ping, headers: bad })).status).toBe(401);
  const old = discord.interaction({ type: 1 }, Math.floor(Date.now() / 1000) - 360);
  expect((await send('discord', old)).status).toBe(401);

  const { invocationId, approval } = await ask();
  const message = await posted(discord.messages, approval);
  expect(message['allowed_mentions']).toEqual({ parse: [] });
  const told = await clickDiscord(discord.click(message, 'Approve', { id: '1', username: 'ada' }));
  expect(told).toMatchObject({ type: 4, data: { flags: 64 } });
  await link(ada, told.data['content']);
  const click = discord.click(message, 'Approve', { id: '1', username: 'ada' });
  const done = await clickDiscord(click);
  expect(done).toMatchObject({ type: 7, data: { components: [] } });
  expect(await clickDiscord(click)).toEqual(done);
  expect((await untilStatus(service, invocationId, ['succeeded'])).status).toBe('succeeded');
  expect((await now(approval)).decisions).toMatchObject([
    { actor: { id: ada.userId }, authentication: { method: 'chat', chat: { provider: 'discord', userId: '1' } } },
  ]);
});

test('a click that finds the workflow of a free-standing approval terminated starts it again under the names that it had', async () => {
  const body = { title: 'Deploy', summary: 'Deploys version 7.', payload: { version: 7 } };
  const approval = approvalIn(await service.post('/api/v2/approvals', body));
  const message = await posted(slack.messages, approval);
  const workflowId = `approval/${approval.id}`;
  const first = await foundBy(service.client, workflowId);
  expect(first.by).toMatchObject({ Environment: 'Development', summary: 'free-standing approval · Development' });
  await service.client.workflow.getHandle(workflowId).terminate('an operator');
  expect(await clickSlack(slack.click(message, 'approve', GRACE))).toMatchObject({ replace_original: true });
  await expect
    .poll(async () => (await foundBy(service.client, workflowId)).by)
    .toEqual({ ...first.by, Stage: 'approved' });
  expect((await foundBy(service.client, workflowId)).runId).not.toBe(first.runId);
});

test('the rights of the member hold: the requester, a plain member and a removed one decide nothing', async () => {
  const body = { title: 'Deploy', summary: 'Deploys version 8.', payload: { version: 8 } };
  const headers = { 'X-Environment-Id': service.database.tenant.environmentId };
  const approval = approvalIn(await service.post('/api/v2/approvals', body));
  const message = await posted(slack.messages, approval);
  const member = await createPerson(service, 'member');
  const user = { id: 'U0MEMBER', username: 'member' };
  await link(member, (await clickSlack(slack.click(message, 'approve', user)))['text']);
  expect((await clickSlack(slack.click(message, 'approve', user)))['text']).toContain('not among the approvers');
  await service.database.asOwner('DELETE FROM members WHERE user_id = $1', [member.userId]);
  await clickSlack(slack.click(message, 'approve', user));
  expect((await now(approval)).decisions).toEqual([]);

  // Whose key asked cannot approve it in a chat either.
  const { key } = await service.createKey(service.database.tenant, {
    name: 'hers',
    preset: 'full_access',
    createdBy: grace.userId,
  });
  const own = approvalIn(await service.call('POST', '/api/v2/approvals', { key, body }));
  const ownMessage = await posted(slack.messages, own);
  expect((await clickSlack(slack.click(ownMessage, 'approve', GRACE)))['text']).toContain('cannot approve');
  expect((await grace.call('GET', `/api/v2/approvals/${own.id}`, { headers })).text).toContain('"status":"pending"');
});

test('off, nothing is posted and no click decides; with another credential, every chat user must be linked again', async () => {
  const approval = await askTwo();
  const message = await posted(slack.messages, approval);
  await patch(`${ids.slack}/toggle`, { isActive: false });
  expect((await clickSlack(slack.click(message, 'approve', GRACE)))['text']).toContain('is off');
  const silent = await askTwo();
  await posted(discord.messages, silent);
  expect(slack.messages).toHaveLength(1);

  const { botToken, signingSecret } = slack;
  const again = await service.post('/api/v2/integrations/slack', { botToken, signingSecret });
  expect(again.json).toMatchObject({ data: { id: ids.slack, isActive: true, channel: { id: 'C0APPROVALS' } } });
  expect((await clickSlack(slack.click(message, 'approve', GRACE)))['text']).toContain('nobody knows yet');
  expect((await now(approval)).decisions).toEqual([]);
});

test('a post that a chat does not take now is sent again; one that it refuses is recorded; what does not fit has no buttons', async () => {
  slack.failNext('unavailable');
  const approval = await askTwo();
  await posted(slack.messages, approval);

  slack.failNext('revoked');
  const refused = await askTwo();
  const read = () =>
    service.database.asOwner('SELECT status, error FROM chat_posts WHERE approval_id = $1 AND integration_id = $2', [
      refused.id,
      ids.slack,
    ]);
  await vi.waitFor(async () => expect(await read()).toEqual([{ status: 'refused', error: 'token_revoked' }]), {
    timeout: PATIENCE_MS,
  });

  const payload = { text: 'x'.repeat(60_000) };
  const long = approvalIn(await service.post('/api/v2/approvals', { title: 'Long', summary: 'Long.', payload }));
  const inDiscord = JSON.stringify((await posted(discord.messages, long)).components);
  const inSlack = JSON.stringify((await posted(slack.messages, long)).blocks);
  expect(inDiscord).not.toContain('custom_id');
  expect(inSlack).not.toContain('"approve"');
  for (const shown of [inDiscord, inSlack]) expect(shown).toContain('Open the page');
});
