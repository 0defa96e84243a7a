import { describe, expect, it } from 'vitest';
import { actionRoutes } from '../../../api/actions/routes.ts';
import { secretRoutes } from '../../../api/secrets/routes.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { Json } from '../../../domain/json.ts';
import { SCOPES, type Scope } from '../../../domain/scopes.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

interface Action {
  id: string;
  name: string;
  description: string | null;
  adapter: { type: string; version: string; config: Record<string, unknown> };
  governed: boolean;
  impact: unknown[];
  verify?: unknown;
  approval: { required: boolean; tag?: string };
  timeoutMs: number;
  currentVersion: { id: string; number: number; digest: string };
  updatedAt: string;
  archivedAt: string | null;
}

const CONFIG = { method: 'POST', url: 'https://api.example.com/refunds', body: { amount: '{{input.amount}}' } };
const ADAPTER = { type: 'http.request', config: CONFIG };
const WITH_SECRET = {
  type: 'http.request',
  config: { ...CONFIG, headers: { Authorization: 'Bearer {{secret:NOT_YET}}' } },
};
const INPUT_SCHEMA = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };
const IMPACT = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }];
const VERIFY = {
  request: { method: 'GET', url: 'https://api.example.com/refunds/{{effect.id}}' },
  expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
};

const api = await startTestApi({ routes: [...actionRoutes, ...secretRoutes] });
const full = (await api.createKey(api.database.tenants.development)).key;
const other = (await api.createKey(api.database.tenants.staging)).key;
checkEachReply(api);

async function without(...scopes: Scope[]): Promise<string> {
  const held = SCOPES.filter((scope) => !scopes.includes(scope));
  return (await api.createKey(api.database.tenants.development, { scopes: held })).key;
}

const create = (body: unknown, key = full) => api.call('POST', '/api/v2/actions', { key, body });
const read = (ref: string, key = full) => api.call('GET', `/api/v2/actions/${ref}`, { key });
const patch = (ref: string, body: unknown, key = full) => api.call('PATCH', `/api/v2/actions/${ref}`, { key, body });
const archive = (ref: string, key = full) => api.call('DELETE', `/api/v2/actions/${ref}`, { key });
const versions = (ref: string, query = '', key = full) =>
  api.call('GET', `/api/v2/actions/${ref}/versions${query}`, { key });

let count = 0;
const unusedName = (): string => `action.number-${++count}`;

/** The action itself: who writes it is answered its warnings too (warnings.test.ts). */
function actionOf(reply: CallResult): Action {
  expect(reply, reply.text).toMatchObject({ json: { success: true } });
  const { warnings: _warnings, ...action } = (reply.json as { data: Action & { warnings?: unknown } }).data;
  return action;
}

async function made(body: object = {}, key = full): Promise<Action> {
  const reply = await create({ name: unusedName(), adapter: ADAPTER, ...body }, key);
  expect(reply.status, reply.text).toBe(201);
  return actionOf(reply);
}

function issuesOf(reply: CallResult): string[] {
  expect(reply, reply.text).toMatchObject({ status: 400, json: { error: { code: 'VALIDATION_ERROR' } } });
  const { error } = reply.json as { error: { details: { issues: { path: string }[] } } };
  return error.details.issues.map((issue) => issue.path);
}

function versionRows(
  actionId: string,
): Promise<{ number: number; digest: string; definition: Json; change_note: string | null }[]> {
  return api.database.asOwner(
    'SELECT number, digest, definition, change_note FROM action_versions WHERE action_id = $1 ORDER BY number',
    [actionId],
  );
}

describe('POST /api/v2/actions', () => {
  it('201: fills in the defaults and records the newest adapter version', async () => {
    const reply = await create({ name: 'refund.create', adapter: ADAPTER });
    expect(reply.status).toBe(201);
    const action = actionOf(reply);
    expect(action).toMatchObject({
      id: expect.stringMatching(/^act_[0-9A-Za-z]{22}$/) as string,
      name: 'refund.create',
      description: null,
      environmentId: api.database.tenants.development.environmentId,
      adapter: { type: 'http.request', version: '1', config: CONFIG },
      inputSchema: { type: 'object' },
      governed: false,
      impact: [],
      approval: { required: false },
      timeoutMs: 30_000,
      currentVersion: { number: 1, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string },
      archivedAt: null,
    });
    for (const absent of ['outputSchema', 'verify', 'approval.tag']) expect(action).not.toHaveProperty(absent);
    const [row, ...more] = await versionRows(action.id);
    expect(more).toEqual([]);
    // The digest covers the stored text, so any reader of the version can check it.
    expect(row?.digest).toBe(action.currentVersion.digest);
    expect(digestOf(row?.definition ?? null)).toBe(row?.digest);
  });

  it('201: keeps everything that is declared', async () => {
    const declared = {
      description: 'Refunds a payment',
      inputSchema: INPUT_SCHEMA,
      outputSchema: { type: 'object' },
      impact: IMPACT,
      verify: VERIFY,
      approval: { required: true, tag: 'finance' },
      timeoutMs: 300_000,
    };
    const action = await made({ ...declared, adapter: { ...ADAPTER, version: '1' }, changeNote: 'first' });
    expect(action).toMatchObject({ ...declared, governed: true });
    expect(await versionRows(action.id)).toMatchObject([{ number: 1, change_note: 'first' }]);
  });

  it.each([
    ['impact', { impact: IMPACT }, true],
    ['verify', { verify: VERIFY }, true],
    ['governed: true', { governed: true }, true],
    ['none of them', {}, false],
    ['empty declarations', { impact: [], verify: null, governed: false }, false],
  ])('governed by %s', async (_what, body, governed) => {
    expect((await made(body)).governed).toBe(governed);
  });

  it('allows a secret that does not exist yet, to a key that may refer to secrets', async () => {
    for (const missing of ['secrets:read', 'secrets:write'] as const) {
      const { currentVersion } = await made({ adapter: WITH_SECRET }, await without(missing));
      expect(currentVersion.number).toBe(1);
    }
    expect((await made({}, await without('secrets:read', 'secrets:write'))).currentVersion.number).toBe(1);
  });

  it.each([
    ['in a header', { adapter: WITH_SECRET }],
    ['in the body', { adapter: { ...ADAPTER, config: { ...CONFIG, body: { key: '{{secret:NOT_YET}}' } } } }],
    [
      'in verify',
      { verify: { ...VERIFY, request: { ...VERIFY.request, headers: { 'X-Key': '{{secret:NOT_YET}}' } } } },
    ],
  ])('403: a secret %s, without a secrets scope', async (_where, body) => {
    const name = unusedName();
    const reply = await create({ name, adapter: ADAPTER, ...body }, await without('secrets:read', 'secrets:write'));
    expect(reply).toMatchObject({ status: 403, json: { error: { code: 'AUTHORIZATION_ERROR' } } });
    expect(reply.text).toContain('secrets:read');
    expect((await read(name)).status).toBe(404);
  });

  it.each([
    ['no adapter', { adapter: undefined }, ['body.adapter']],
    ['an unknown field', { naem: 'x' }, ['body.naem']],
    [
      'unknown fields of the body, of the adapter and of its config, all at once',
      {
        naem: 'x',
        adapter: { ...ADAPTER, confg: {}, config: { ...CONFIG, hedaers: {}, success: { statuses: [200], also: [] } } },
      },
      ['body.naem', 'body.adapter.confg', 'body.adapter.config.hedaers', 'body.adapter.config.success.also'],
    ],
    ['an unknown adapter', { adapter: { type: 'smtp.send', config: {} } }, ['body.adapter.type']],
    ['an unknown adapter version', { adapter: { ...ADAPTER, version: '99' } }, ['body.adapter.version']],
    ['a config that is no object', { adapter: { type: 'http.request', config: [] } }, ['body.adapter.config']],
    [
      'a URL that is none',
      { adapter: { ...ADAPTER, config: { ...CONFIG, url: 'nowhere' } } },
      ['body.adapter.config.url'],
    ],
    [
      'a secret in the URL',
      { adapter: { ...ADAPTER, config: { ...CONFIG, url: 'https://api.example.com/{{secret:KEY}}' } } },
      ['body.adapter.config.url'],
    ],
    ['a schema of no object', { inputSchema: { type: 'array' } }, ['body.inputSchema.type']],
    ['a schema that is none', { inputSchema: { type: 'object', properties: 7 } }, ['body.inputSchema.properties']],
    ['an output schema that is none', { outputSchema: { type: 'nonsense' } }, ['body.outputSchema.type']],
    ['money without currency', { impact: [{ ...IMPACT[0], currency: undefined }] }, ['body.impact[0].currency']],
    [
      'a read-back that writes',
      { verify: { ...VERIFY, request: { ...VERIFY.request, method: 'POST' } } },
      ['body.verify.request.method'],
    ],
    ['an expectation of nothing', { verify: { ...VERIFY, expect: [] } }, ['body.verify.expect']],
    ['ungoverned with impact', { impact: IMPACT, governed: false }, ['body.governed']],
    ['no time', { timeoutMs: 0 }, ['body.timeoutMs']],
    ['too much time', { timeoutMs: 300_001 }, ['body.timeoutMs']],
    ['a long description', { description: 'x'.repeat(2001) }, ['body.description']],
    [
      'a definition too large',
      { adapter: { ...ADAPTER, config: { ...CONFIG, body: 'x'.repeat(256 * 1024) } } },
      ['body.adapter.config'],
    ],
    [
      'a definition too large with its schema',
      {
        inputSchema: { type: 'object', description: 'x'.repeat(60_000) },
        adapter: { ...ADAPTER, config: { ...CONFIG, body: 'x'.repeat(220_000) } },
      },
      ['body'],
    ],
  ])('400: %s', async (_what, body, paths) => {
    const name = unusedName();
    const found = issuesOf(await create({ name, adapter: ADAPTER, ...body }));
    expect([...new Set(found)].sort()).toEqual(paths.toSorted());
    expect((await read(name)).status).toBe(404);
  });

  it('400: says little of what is wrong a thousand times below a name of half a megabyte', async () => {
    const texts = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, '{{nope']));
    const sent = async (characters: number): Promise<CallResult> => {
      const config = { ...CONFIG, body: { ['x'.repeat(characters)]: texts } };
      return create({ name: unusedName(), adapter: { ...ADAPTER, config } });
    };
    expect(issuesOf(await sent(500_000))).toEqual(['body.adapter.config']);
    const within = await sent(100_000);
    expect(issuesOf(within)).toHaveLength(100);
    expect(within.text.length).toBeLessThan(200_000);
  });

  it('400: a change names the unknown fields of the query, of the body and of the config, all at once', async () => {
    const { id } = await made({});
    const body = { naem: 'x', adapter: { ...ADAPTER, config: { ...CONFIG, hedaers: {} } } };
    const reply = await patch(`${id}?dyrRun=1`, body);
    expect(issuesOf(reply).toSorted()).toEqual(['body.adapter.config.hedaers', 'body.naem', 'query.dyrRun']);
    const ofTheQuery = await patch(`${id}?dyrRun=1`, { adapter: body.adapter });
    expect(issuesOf(ofTheQuery).toSorted()).toEqual(['body.adapter.config.hedaers', 'query.dyrRun']);
  });

  it.each([
    '',
    'Upper',
    '1st',
    'a b',
    'ä',
    `a${'b'.repeat(64)}`,
    'invocations',
    'effects',
    'previews',
    'import',
    'act_0123456789abcdefghijkl',
  ])('400: the name "%s"', async (name) => {
    expect(issuesOf(await create({ name, adapter: ADAPTER }))).toContain('body.name');
  });

  it('409: a live action of that name; of many at once one is made', async () => {
    const name = unusedName();
    const replies = await Promise.all(Array.from({ length: 8 }, () => create({ name, adapter: ADAPTER })));
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([201, ...Array(7).fill(409)]);
    expect(replies.find((reply) => reply.status === 409)).toMatchObject({ json: { error: { code: 'CONFLICT' } } });
    expect(await api.database.asOwner('SELECT FROM actions WHERE name = $1', [name])).toHaveLength(1);
    expect((await create({ name, adapter: ADAPTER }, other)).status).toBe(201);
  });

  it('takes an Idempotency-Key: the same request makes one action', async () => {
    const options = {
      key: full,
      headers: { 'Idempotency-Key': 'create' },
      body: { name: unusedName(), adapter: ADAPTER },
    };
    const first = await api.call('POST', '/api/v2/actions', options);
    const second = await api.call('POST', '/api/v2/actions', options);
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    expect(second.headers.get('X-Idempotent-Replay')).toBe('true');
  });
});

describe('GET /api/v2/actions and /{ref}', () => {
  it('200: by id and by name', async () => {
    const action = await made({ inputSchema: INPUT_SCHEMA });
    expect(actionOf(await read(action.id))).toEqual(action);
    expect(actionOf(await read(action.name))).toEqual(action);
  });

  it('200: lists newest first, filtered by name, archived only where asked for', async () => {
    const key = (await api.createKey((await api.database.anotherWorkspace()).development)).key;
    for (const name of ['one', 'two', 'three'])
      expect((await create({ name, adapter: ADAPTER }, key)).status).toBe(201);
    await archive('two', key);
    const list = async (query: string) => (await api.call('GET', `/api/v2/actions${query}`, { key })).json;
    expect(await list('?limit=1')).toMatchObject({
      data: [{ name: 'three' }],
      pagination: { total: 2, page: 1, limit: 1, totalPages: 2, hasMore: true },
    });
    expect(await list('?includeArchived=true')).toMatchObject({
      data: [{ name: 'three' }, { name: 'two' }, { name: 'one' }],
    });
    expect(await list('?name=one')).toMatchObject({ data: [{ name: 'one' }], pagination: { total: 1 } });
    expect(await list('?name=two')).toMatchObject({ data: [], pagination: { total: 0 } });
    expect(await list('?name=two&includeArchived=true')).toMatchObject({ data: [{ name: 'two' }] });
  });

  it.each(['?name=Not%20One', '?includeArchived=yes', '?limit=0', '?page=0', '?nmae=x'])('400: %s', async (query) => {
    expect(issuesOf(await api.call('GET', `/api/v2/actions${query}`, { key: full }))).toHaveLength(1);
  });

  it('400: a ref that is none', async () => {
    expect(issuesOf(await read('a%20b'))).toEqual(['params.ref']);
  });
});

describe('PATCH /api/v2/actions/{ref}', () => {
  it('200: a changed definition makes the next version; the old one stays as it was', async () => {
    const before = await made({ changeNote: 'first' });
    const [first] = await versionRows(before.id);
    const after = actionOf(await patch(before.name, { timeoutMs: 1000, changeNote: 'quicker' }));
    expect(after).toMatchObject({ id: before.id, timeoutMs: 1000, currentVersion: { number: 2 } });
    expect(after.currentVersion.digest).not.toBe(before.currentVersion.digest);
    const rows = await versionRows(before.id);
    expect(rows).toMatchObject([first, { number: 2, change_note: 'quicker', digest: after.currentVersion.digest }]);
    expect(digestOf(rows[1]?.definition ?? null)).toBe(after.currentVersion.digest);
  });

  it.each([
    ['nothing', {}],
    ['the same adapter, its version left out', { adapter: ADAPTER }],
    [
      'the same schema, its members in another order',
      { inputSchema: { required: ['amount'], properties: { amount: { type: 'integer' } }, type: 'object' } },
    ],
    ['the same approval', { approval: { required: false } }],
    ['no declarations', { impact: [], verify: null, outputSchema: null, governed: false }],
    ['a note alone', { changeNote: 'nothing changed' }],
  ])('200: %s makes no version', async (_what, body) => {
    const before = await made({ inputSchema: INPUT_SCHEMA });
    expect(actionOf(await patch(before.id, body))).toEqual(before);
    expect(await versionRows(before.id)).toHaveLength(1);
  });

  it('200: name and description change without a version; null removes', async () => {
    const before = await made({ description: 'old', verify: VERIFY, outputSchema: { type: 'object' } });
    const name = unusedName();
    const renamed = actionOf(await patch(before.id, { name, description: 'new' }));
    expect(renamed).toMatchObject({ name, description: 'new', currentVersion: before.currentVersion });
    expect((await read(before.name)).status).toBe(404);
    const removed = actionOf(await patch(name, { description: null, verify: null, outputSchema: null }));
    expect(removed).toMatchObject({ description: null, currentVersion: { number: 2 } });
    expect(removed).not.toHaveProperty('verify');
    expect(removed).not.toHaveProperty('outputSchema');
    // A governed action stays governed until a version explicitly says otherwise.
    expect(removed.governed).toBe(true);
    expect(actionOf(await patch(name, { governed: false })).governed).toBe(false);
  });

  it('200: changes at the same time come one after the other, without a gap', async () => {
    const before = await made();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => patch(before.name, { timeoutMs: 1000 + index })),
    );
    const numbers = replies.map((reply) => actionOf(reply).currentVersion.number).toSorted((a, b) => a - b);
    expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect((await versionRows(before.id)).map((row) => row.number)).toEqual([1, ...numbers]);
    expect(actionOf(await read(before.id)).currentVersion.number).toBe(11);
  });

  it('200: changes of different members at the same time are both kept', async () => {
    const before = await made();
    await Promise.all([patch(before.id, { timeoutMs: 5000 }), patch(before.id, { inputSchema: INPUT_SCHEMA })]);
    expect(actionOf(await read(before.id))).toMatchObject({ timeoutMs: 5000, inputSchema: INPUT_SCHEMA });
  });

  it.each([
    ['a config by its adapter', { adapter: { ...ADAPTER, config: { method: 'POST' } } }, 'body.adapter.config.url'],
    ['governed: false beside impact', { governed: false }, 'body.governed'],
    ['the removal of the schema', { inputSchema: null }, 'body.inputSchema'],
    ['a reserved name', { name: 'effects' }, 'body.name'],
  ])('400: checks %s', async (_what, body, path) => {
    const before = await made({ impact: IMPACT });
    expect(issuesOf(await patch(before.id, body))).toEqual([path]);
    expect(actionOf(await read(before.id))).toEqual(before);
  });

  it('409: the name of another live action, and nothing of the change is kept', async () => {
    const [taken, before] = [await made(), await made()];
    expect(await patch(before.id, { name: taken.name, timeoutMs: 1 })).toMatchObject({
      status: 409,
      json: { error: { code: 'CONFLICT' } },
    });
    expect(actionOf(await read(before.id))).toEqual(before);
    expect(await versionRows(before.id)).toHaveLength(1);
  });

  it('409: an archived action', async () => {
    const before = await made();
    await archive(before.id);
    expect(await patch(before.id, { timeoutMs: 1 })).toMatchObject({
      status: 409,
      json: { error: { code: 'CONFLICT' } },
    });
    expect(await versionRows(before.id)).toHaveLength(1);
  });
});

/** Adapters that say by themselves what a call uses up, and read its outcome back. */
const STRIPE = { type: 'stripe.refund', config: { mode: 'test', secret: 'STRIPE' } };
const RESEND = {
  type: 'resend.email',
  config: { domain: 'example.com', fromAddresses: ['a@example.com'], allowedRecipients: ['*@example.com'] },
};
const GITHUB = { type: 'github.issue_comment', config: { repository: 'acme/shop' } };
const BOUNDED = { ...ADAPTER, config: { ...CONFIG, allowedHosts: ['api.example.com'] } };
const STRIPE_BY_HAND = {
  type: 'http.request',
  config: { method: 'POST', url: 'https://api.stripe.com/v1/refunds', body: { amount: '{{input.amount}}' } },
};

/** The change of an adapter's config by these members; undefined removes one. */
function withConfig({ type, config }: { type: string; config: object }, members: object): object {
  return { adapter: { type, config: { ...config, ...members } } };
}

describe('what actions:govern guards', () => {
  const governed = { impact: IMPACT, verify: VERIFY };
  it.each([
    ['the impact', governed, { impact: [{ ...IMPACT[0], bound: 'upper_bound' }] }, 'impact'],
    ['no impact', governed, { impact: [] }, 'impact'],
    ['no verify', governed, { verify: null }, 'verify'],
    ['another verify', governed, { verify: { ...VERIFY, expect: [{ path: 'status', op: 'exists' }] } }, 'verify'],
    ['governed: false', { governed: true }, { governed: false }, 'governed'],
    ['more impact on a governed action', { governed: true }, { impact: IMPACT }, 'impact'],
    ['impact where approval is required', { approval: { required: true } }, { impact: IMPACT }, 'impact'],
    ['no approval', { approval: { required: true } }, { approval: { required: false } }, 'approval'],
    ['the tag of an approval', { approval: { required: true, tag: 'a' } }, { approval: { tag: null } }, 'approval'],
    ['approval', {}, { approval: { required: true } }, 'approval'],
    ['a refund sent by hand', { adapter: STRIPE }, { adapter: STRIPE_BY_HAND }, 'adapter.type'],
    ['an e-mail sent by hand', { adapter: RESEND }, { adapter: ADAPTER, inputSchema: INPUT_SCHEMA }, 'adapter.type'],
    ['a comment sent by hand', { adapter: GITHUB }, { adapter: ADAPTER, inputSchema: INPUT_SCHEMA }, 'adapter.type'],
    [
      'another adapter where approval is required',
      { approval: { required: true } },
      { adapter: GITHUB },
      'governed, adapter.type',
    ],
    ['live for test', { adapter: STRIPE }, withConfig(STRIPE, { mode: 'live' }), 'adapter.config.mode'],
    [
      'the secret of another account',
      { adapter: STRIPE },
      withConfig(STRIPE, { secret: 'X' }),
      'adapter.config.secret',
    ],
    [
      'any recipient',
      { adapter: RESEND },
      withConfig(RESEND, { allowedRecipients: undefined }),
      'adapter.config.allowedRecipients',
    ],
    [
      'another sender',
      { adapter: RESEND },
      withConfig(RESEND, { fromAddresses: ['b@example.com'] }),
      'adapter.config.from',
    ],
    [
      'another repository',
      { adapter: GITHUB },
      withConfig(GITHUB, { repository: 'acme/x' }),
      'adapter.config.repository',
    ],
    ['any host', { adapter: BOUNDED, governed: true }, { adapter: ADAPTER }, 'adapter.config.allowedHosts'],
    ['any secret', governed, withConfig(ADAPTER, { secrets: ['A'] }), 'adapter.config.secrets'],
    [
      'a success that counts as a failure',
      governed,
      withConfig(ADAPTER, { failure: { statuses: [303] } }),
      'adapter.config.failure',
    ],
    [
      'a redirect that counts as a success',
      { approval: { required: true } },
      withConfig(ADAPTER, { success: { statuses: ['3xx'] } }),
      'adapter.config.success',
    ],
  ])('403: %s', async (_what, first, change, member) => {
    const before = await made(first);
    const reply = await patch(before.id, change, await without('actions:govern'));
    expect(reply).toMatchObject({ status: 403, json: { error: { code: 'AUTHORIZATION_ERROR' } } });
    expect(reply.text).toContain('actions:govern');
    expect(reply.text).toContain(`Changing ${member}`);
    expect(actionOf(await read(before.id))).toEqual(before);
    expect(actionOf(await patch(before.id, change)).currentVersion.number).toBe(2);
  });

  it.each([
    ['what it does not guard', governed, { timeoutMs: 1, inputSchema: INPUT_SCHEMA }, 2],
    [
      'the same declarations again',
      governed,
      { impact: IMPACT, verify: VERIFY, governed: true, approval: { required: false } },
      1,
    ],
    ['the first governance of an action', {}, { impact: IMPACT }, 2],
    [
      'the request of a governed http.request',
      governed,
      withConfig(BOUNDED, { allowedHosts: undefined, method: 'PUT' }),
      2,
    ],
    ['a bound for an action that nobody governs', { adapter: BOUNDED }, { adapter: ADAPTER }, 2],
    ['an adapter that governs, for an action that nobody governs', {}, { adapter: GITHUB }, 2],
    ['the same adapter again', { adapter: STRIPE }, { adapter: STRIPE, timeoutMs: 1 }, 2],
  ])('200: %s', async (_what, first, change, number) => {
    const before = await made(first);
    expect(actionOf(await patch(before.id, change, await without('actions:govern'))).currentVersion.number).toBe(
      number,
    );
  });
});

describe('what the secrets scopes guard', () => {
  it('403: every new version that refers to a secret, also where the reference stays', async () => {
    const key = await without('secrets:read', 'secrets:write');
    const before = await made({ adapter: WITH_SECRET });
    const elsewhere = { ...WITH_SECRET, config: { ...WITH_SECRET.config, url: 'https://attacker.example.com/' } };
    for (const change of [{ adapter: elsewhere }, { timeoutMs: 1 }]) {
      const reply = await patch(before.id, change, key);
      expect(reply).toMatchObject({ status: 403, json: { error: { code: 'AUTHORIZATION_ERROR' } } });
      expect(reply.text).toContain('secrets:read');
    }
    expect(actionOf(await read(before.id))).toEqual(before);
    expect((await patch(before.id, { description: 'no new version' }, key)).status).toBe(200);
    expect((await patch(before.id, { adapter: ADAPTER }, key)).status).toBe(200);
  });
});

describe('DELETE /api/v2/actions/{ref}', () => {
  it('200: archives; the name is free, the history readable by id', async () => {
    const before = await made();
    const archived = actionOf(await archive(before.name));
    expect(archived).toMatchObject({ id: before.id, archivedAt: expect.any(String) as string });
    expect((await read(before.name)).status).toBe(404);
    expect(actionOf(await read(before.id))).toEqual(archived);
    expect(await versions(before.id)).toMatchObject({ status: 200, json: { data: [{ number: 1 }] } });
    const next = await made({ name: before.name });
    expect(next.id).not.toBe(before.id);
    expect(actionOf(await read(before.name))).toEqual(next);
  });

  it('200 again by id and changes nothing; 404 by name', async () => {
    const before = await made();
    const archived = actionOf(await archive(before.id));
    expect(actionOf(await archive(before.id))).toEqual(archived);
    expect((await archive(before.name)).status).toBe(404);
  });
});

describe('GET /api/v2/actions/{ref}/versions', () => {
  it('200: pages, newest first, with a definition that is small whole', async () => {
    const action = await made({ changeNote: 'one' });
    await patch(action.id, { timeoutMs: 1, changeNote: 'two' });
    await patch(action.id, { timeoutMs: 2 });
    const reply = await versions(action.name, '?limit=2');
    expect(reply).toMatchObject({
      status: 200,
      json: {
        data: [
          { number: 3, changeNote: null, actionId: action.id },
          { number: 2, changeNote: 'two' },
        ],
        pagination: { total: 3, page: 1, limit: 2, totalPages: 2, hasMore: true },
      },
    });
    const { data } = (await versions(action.name, '?limit=2&page=2')).json as {
      data: { definition: Json; digest: string; createdBy: unknown }[];
    };
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      id: action.currentVersion.id,
      createdBy: { type: 'api_key', id: expect.stringMatching(/^key_/) as string },
    });
    expect(digestOf(data[0]?.definition ?? null)).toBe(data[0]?.digest);
  });
});
