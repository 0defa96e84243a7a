// Brings pending approvals to a Slack channel, and takes the clicks back as decisions: node slack-approvals.mjs
// What it needs in the environment: API_URL; API_KEY with approvals:read and approvals:decide; SLACK_WEBHOOK_URL; SLACK_SIGNING_SECRET;
// SLACK_APPROVERS, the ids of the Slack users who may decide, separated by commas; BRIDGE_PORT, or it takes a free one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const POLL_MS = 2_000;
const CALL_TIMEOUT_MS = 10_000;
const SIGNATURE_AGE_SECONDS_MAX = 300;
const BODY_BYTES_MAX = 1_000_000;
/** Slack takes 50 blocks of 3,000 characters, and some 12,000 in all of them. */
const PREVIEW_BLOCKS_MAX = 40;
const PREVIEW_CHARACTERS_MAX = 6_000;
const SECTION_CHARACTERS_MAX = 2_900;

/** Whether Slack signed this body, and not long ago: an old request may be one that somebody recorded. */
export function isSignedBySlack({ secret, timestamp, signature, body, nowSeconds }) {
  if (!/^\d{1,12}$/.test(timestamp ?? '')) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > SIGNATURE_AGE_SECONDS_MAX) return false;
  const expected = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`);
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Plain text: what an agent wrote must not become a link or a mention. */
const section = (text) => ({
  type: 'section',
  text: { type: 'plain_text', emoji: false, text: cut(text, SECTION_CHARACTERS_MAX) },
});
const cut = (text, most) => (text.length <= most ? text : `${text.slice(0, most)}… (cut: read the preview)`);
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function linesOf({ title, fields = [], quantities = [], items = [], path, before, after }) {
  return [
    title,
    ...fields.map(({ label, value }) => `${label}: ${value}`),
    ...quantities.map((quantity) => JSON.stringify(quantity)),
    ...items.map(({ kind, text }) => `${kind}: ${text}`),
    ...(after === undefined ? [] : [`${path ?? ''}\n- ${before ?? ''}\n+ ${after}`]),
  ].join('\n');
}

/** The message for an approval. Each button carries the digest of what the message shows: the decision is about that. */
export function messageOf({ id, title, summary, bindingDigest, expiresAt, policy, preview }) {
  const value = JSON.stringify({ approval: id, bindingDigest });
  const button = (actionId, text, style) => ({
    type: 'button',
    action_id: actionId,
    style,
    value,
    text: { type: 'plain_text', text },
  });
  const parts = (preview?.blocks ?? []).map((block) => section(linesOf(block)));
  let characters = 0;
  const shown = parts
    .slice(0, PREVIEW_BLOCKS_MAX)
    .filter((part) => (characters += JSON.stringify(part).length) <= PREVIEW_CHARACTERS_MAX);
  const hidden = parts.length - shown.length;
  return {
    text: escaped(summary),
    blocks: [
      section(`${title}\n${summary}\n${policy.reason}`),
      ...shown,
      ...(hidden > 0 ? [section(`${hidden} more parts: read the preview.`)] : []),
      section(`Until ${expiresAt}. ${bindingDigest}`),
      { type: 'actions', elements: [button('approve', 'Approve', 'primary'), button('deny', 'Deny', 'danger')] },
    ],
  };
}

export class Bridge {
  #options;
  #posted = new Set();

  constructor(options) {
    this.#options = options;
  }

  /** Posts what is pending and was not posted by this process, oldest first. What Slack did not take is posted in the next round. */
  async postPending() {
    const pending = [];
    for (let page = 1, more = true; more; page++) {
      const { data, pagination } = await this.#call('GET', `/approvals?status=pending&limit=100&page=${page}`);
      pending.unshift(...data.map(({ id }) => id).toReversed());
      more = pagination.hasMore;
    }
    this.#posted = new Set(pending.filter((id) => this.#posted.has(id)));
    for (const id of pending.filter((one) => !this.#posted.has(one))) {
      const { data: approval } = await this.#call('GET', `/approvals/${id}`);
      if (approval.status !== 'pending') continue;
      await postJson(this.#options.webhookUrl, messageOf(approval));
      this.#posted.add(id);
      this.#options.log(`posted ${id}`);
    }
  }

  /** Answers Slack at once, which waits three seconds, and decides after that. */
  async takeClick(request, response) {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk;
      if (body.length > BODY_BYTES_MAX) return void response.writeHead(413).end();
    }
    const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = request.headers;
    const nowSeconds = Date.now() / 1_000;
    if (!isSignedBySlack({ secret: this.#options.signingSecret, timestamp, signature, body, nowSeconds })) {
      return void response.writeHead(401).end();
    }
    response.writeHead(200).end();
    const { user, actions, response_url: answerUrl } = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
    const { action_id: decision, value } = actions?.[0] ?? {};
    if (decision !== 'approve' && decision !== 'deny') return;
    await postJson(answerUrl, await this.#decide(decision, JSON.parse(value), user));
  }

  async #decide(decision, { approval, bindingDigest }, user) {
    if (!this.#options.approvers.includes(user.id)) {
      return { response_type: 'ephemeral', replace_original: false, text: 'You may not decide approvals.' };
    }
    const note = `In Slack, by ${user.username} (${user.id})`;
    const target = `/approvals/${approval}/${decision}`;
    try {
      const { data } = await this.#call('POST', target, decision === 'approve' ? { bindingDigest, note } : { note });
      this.#options.log(`${decision} ${approval} by ${user.id}: ${data.status}`);
      const { received, required } = data.quorum;
      const text = `${data.status} by <@${user.id}> (${received} of ${required})`;
      return { replace_original: true, text, blocks: [section(data.summary), section(`${data.status}. ${note}.`)] };
    } catch (error) {
      this.#options.log(`${decision} ${approval} by ${user.id}: ${error.message}`);
      return { response_type: 'ephemeral', replace_original: false, text: escaped(error.message) };
    }
  }

  async #call(method, target, body) {
    const { apiUrl, apiKey } = this.#options;
    const { ok, status, text } = await send(method, `${apiUrl}/api/v2${target}`, body, `Bearer ${apiKey}`);
    const answer = JSON.parse(text);
    if (!ok) throw new Error(`${status} ${answer.error?.code}: ${answer.error?.message}`);
    return answer;
  }
}

async function postJson(url, body) {
  const { ok, status, text } = await send('POST', url, body);
  if (!ok) throw new Error(`Slack answered ${status}: ${text}`);
}

async function send(method, url, body, authorization) {
  const headers = { 'Content-Type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
  const abort = new AbortController();
  const timer = setTimeout(
    () => abort.abort(new Error(`${new URL(url).host} did not answer in time`)),
    CALL_TIMEOUT_MS,
  );
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(url, { method, headers, signal: abort.signal, ...sent });
    return { ok: reply.ok, status: reply.status, text: await reply.text() };
  } finally {
    clearTimeout(timer);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const required = (name) => {
    if (process.env[name]) return process.env[name];
    throw new Error(`${name} is not set`);
  };
  const log = (line) => process.stdout.write(`${line}\n`);
  const failed = (error) => process.stderr.write(`${error.message}\n`);
  const bridge = new Bridge({
    apiUrl: required('API_URL'),
    apiKey: required('API_KEY'),
    webhookUrl: required('SLACK_WEBHOOK_URL'),
    signingSecret: required('SLACK_SIGNING_SECRET'),
    approvers: required('SLACK_APPROVERS').split(','),
    log,
  });
  const server = createServer((request, response) => void bridge.takeClick(request, response).catch(failed));
  server.listen(Number(process.env.BRIDGE_PORT ?? 0), '127.0.0.1', () => {
    log(`Request URL: http://127.0.0.1:${server.address().port}/`);
  });
  for (;;) {
    await bridge.postPending().catch(failed);
    await sleep(POLL_MS);
  }
}
