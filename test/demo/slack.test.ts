import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../demo/slack/channel.ts';
import { serveJson, type Call } from '../../demo/http.ts';
import { slackRoutes } from '../../demo/slack/routes.ts';

/** docs/examples/slack-approvals.mjs, between the demo's Slack and an API that has one approval. */

interface Bridge {
  postPending(): Promise<void>;
  takeClick(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
const script = new URL('../../docs/examples/slack-approvals.mjs', import.meta.url);
const { Bridge: BridgeClass } = (await import(script.href)) as {
  Bridge: new (options: Record<string, unknown>) => Bridge;
};

const SECRET = 'signing-secret';
const KEY = 'demo_key';
const GRACE = { id: 'U0GRACE', username: 'grace' };
const DIGEST = `sha256:${'a'.repeat(64)}`;
const APPROVAL = {
  id: 'apr_1',
  status: 'pending',
  title: 'refund.create',
  summary: 'An agent asks for <!channel> & <https://evil.test|a refund>.',
  bindingDigest: DIGEST,
  expiresAt: '2026-11-22T12:00:00.000Z',
  policy: { reason: 'a rule' },
  quorum: { required: 1, received: 0 },
  preview: { blocks: [{ title: 'Request', fields: [{ label: 'amount', value: '<@U1> '.repeat(1_000) }] }] },
};

describe('the bridge to Slack', () => {
  let servers: Server[];
  let clicks: Promise<void>[];
  let slackUrl: string;
  let requestUrl: string;
  let bridge: Bridge;
  let decisions: unknown[];
  let apiStatus: number;
  let slackIsUp: boolean;
  let preview: object;

  const listen = async (server: Server): Promise<string> => {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const api = ({ method, path, body }: Call) => {
    if (method === 'GET' && path === '/api/v2/approvals') {
      return { status: 200, body: { data: [{ id: APPROVAL.id }], pagination: { hasMore: false } } };
    }
    if (method === 'GET') return { status: 200, body: { data: { ...APPROVAL, preview } } };
    if (apiStatus !== 200)
      return { status: apiStatus, body: { error: { code: 'CONFLICT', message: 'It is decided.' } } };
    decisions.push({ path, body });
    const data = { ...APPROVAL, status: 'approved', quorum: { required: 1, received: 1 } };
    return { status: 200, body: { data } };
  };
  const slack = async (method: string, target: string, body?: unknown): Promise<Record<string, unknown>> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(`${slackUrl}/slack${target}`, {
      method,
      headers: { authorization: `Bearer ${KEY}` },
      ...sent,
    });
    return (await reply.json()) as Record<string, unknown>;
  };
  const messages = async (): Promise<Message[]> => (await slack('GET', '/messages'))['messages'] as Message[];
  const click = async (user: object, button = 'approve'): Promise<unknown> =>
    slack('POST', `/messages/${(await messages())[0]?.ts}/clicks`, { button, user });

  beforeEach(async () => {
    servers = [];
    clicks = [];
    decisions = [];
    apiStatus = 200;
    slackIsUp = true;
    preview = APPROVAL.preview;
    const routes = slackRoutes({ webhookToken: 'token', signingSecret: SECRET, credential: KEY });
    slackUrl = await listen(serveJson([(call) => (slackIsUp ? routes(call) : { status: 503, text: 'down' })]));
    bridge = new BridgeClass({
      apiUrl: await listen(serveJson([api])),
      apiKey: 'key',
      webhookUrl: `${slackUrl}/slack/services/T0DEMO/B0DEMO/token`,
      signingSecret: SECRET,
      approvers: [GRACE.id],
      log: () => undefined,
    });
    requestUrl = await listen(
      createServer((request, response) => void clicks.push(bridge.takeClick(request, response))),
    );
    await slack('PUT', '/app', { requestUrl });
  });
  afterEach(async () => {
    await Promise.all(clicks);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
  });

  it('posts what is pending once, and nothing in it is a mention or a link', async () => {
    await bridge.postPending();
    await bridge.postPending();
    const [message, ...others] = await messages();
    expect(others).toEqual([]);
    expect(message?.text).toBe('An agent asks for &lt;!channel&gt; &amp; &lt;https://evil.test|a refund&gt;.');
    const sections = message?.blocks.filter(({ type }) => type === 'section') ?? [];
    expect(sections.map(({ text }) => text?.type)).toEqual(['plain_text', 'plain_text', 'plain_text']);
    expect(sections[1]?.text?.text).toMatch(/… \(cut: read the preview\)$/);
  });

  it('posts a long preview as far as Slack takes it, and says how much is not there', async () => {
    preview = { blocks: Array.from({ length: 8 }, () => APPROVAL.preview.blocks[0]) };
    await bridge.postPending();
    const texts = (await messages())[0]?.blocks.map(({ text }) => text?.text ?? '') ?? [];
    expect(texts).toContain('6 more parts: read the preview.');
  });

  it('gets the refusal of Slack for blocks that are too long together', async () => {
    const block = { type: 'section', text: { type: 'plain_text', text: 'x'.repeat(2_900) } };
    const body = JSON.stringify({ text: 'long', blocks: Array.from({ length: 5 }, () => block) });
    const reply = await fetch(`${slackUrl}/slack/services/T0DEMO/B0DEMO/token`, { method: 'POST', body });
    expect({ status: reply.status, text: await reply.text() }).toEqual({ status: 400, text: 'msg_blocks_too_long' });
    expect(await messages()).toEqual([]);
  });

  it('posts again what Slack did not take', async () => {
    slackIsUp = false;
    await expect(bridge.postPending()).rejects.toThrow('Slack answered 503: down');
    slackIsUp = true;
    await bridge.postPending();
    expect(await messages()).toHaveLength(1);
  });

  it('decides by the digest that the message shows, says who clicked, and takes the buttons away', async () => {
    await bridge.postPending();
    expect(await click(GRACE)).toMatchObject({ delivered: true });
    await expect.poll(async () => (await messages())[0]?.text).toBe('approved by <@U0GRACE> (1 of 1)');
    const note = 'In Slack, by grace (U0GRACE)';
    expect(decisions).toEqual([{ path: '/api/v2/approvals/apr_1/approve', body: { bindingDigest: DIGEST, note } }]);
    expect((await messages())[0]?.blocks.map(({ type }) => type)).toEqual(['section', 'section']);
  });

  it('denies with a note', async () => {
    await bridge.postPending();
    await click(GRACE, 'deny');
    await expect
      .poll(() => decisions)
      .toEqual([{ path: '/api/v2/approvals/apr_1/deny', body: { note: 'In Slack, by grace (U0GRACE)' } }]);
  });

  it.each([
    ['someone who is no approver', { id: 'U0MALLORY', username: 'grace' }, 200, 'You may not decide approvals.'],
    ['an approver who comes too late', GRACE, 409, '409 CONFLICT: It is decided.'],
  ])('tells %s, and nobody else', async (_, user, status, says) => {
    apiStatus = status;
    await bridge.postPending();
    await click(user);
    await expect.poll(async () => (await messages()).at(-1)).toMatchObject({ text: says, ephemeral: true });
    expect((await messages())[0]?.blocks.at(-1)?.type).toBe('actions');
    expect(decisions).toEqual([]);
  });

  const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
  const payload = JSON.stringify({
    user: GRACE,
    actions: [{ action_id: 'approve', value: JSON.stringify({ approval: 'apr_1', bindingDigest: DIGEST }) }],
    response_url: 'http://127.0.0.1:1/',
  });
  const body = `payload=${encodeURIComponent(payload)}`;
  const signed = (timestamp: string, text = body, secret = SECRET): string =>
    `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${text}`).digest('hex')}`;

  it.each([
    ['another secret', () => ({ at: `${nowSeconds()}`, signature: signed(`${nowSeconds()}`, body, 'other') })],
    ['another body', () => ({ at: `${nowSeconds()}`, signature: signed(`${nowSeconds()}`, `${body}&x=1`) })],
    ['another time', () => ({ at: `${nowSeconds()}`, signature: signed(`${nowSeconds() - 9}`) })],
    ['an old request', () => ({ at: `${nowSeconds() - 310}`, signature: signed(`${nowSeconds() - 310}`) })],
    ['no signature', () => ({ at: `${nowSeconds()}`, signature: '' })],
    ['no time', () => ({ at: '', signature: signed('') })],
  ])('refuses a click with %s', async (_, sign) => {
    const { at, signature } = sign();
    const headers = { 'x-slack-request-timestamp': at, 'x-slack-signature': signature };
    expect((await fetch(requestUrl, { method: 'POST', headers, body })).status).toBe(401);
    expect(decisions).toEqual([]);
  });
});
