import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestDigestOf } from '../../../api/http/idempotency-key.ts';
import { defineRoute, type AnyRoute } from '../../../api/http/define-route.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';

const PATH = '/api/v2/things';
const WAIT_MS = 6_000;
/** Long enough for a renewal on a busy machine. */
const LEASE_MS = 3_000;

/** What the handler does next, and how often it ran. */
let runs = 0;
let handle: () => Promise<number> = () => Promise.resolve(201);

const createThing = defineRoute({
  of: 'environment',
  id: 'things.create',
  method: 'POST',
  path: PATH,
  summary: 'Create a thing',
  scope: null,
  request: { body: z.strictObject({ name: z.string() }) },
  response: { 201: z.strictObject({ name: z.string(), run: z.int() }) },
  idempotent: true,
  fence: 'It is of a test, which counts the runs.',
  ownsItsTransaction: 'It is of a test, and touches no database.',
  audited: 'none: it is of a test',
  async handler({ body }) {
    runs += 1;
    const run = runs;
    return { status: await handle(), data: { name: body.name, run } };
  },
});
const createOther: AnyRoute = { ...createThing, id: 'others.create', path: '/api/v2/others' };
const replaceThing: AnyRoute = { ...createThing, id: 'things.replace', method: 'PUT' };

function gate(): { open: () => void; passed: Promise<void> } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

/** Makes the handler wait for the returned function, and then succeed. */
function pauseHandler(): () => void {
  const { open, passed } = gate();
  handle = () => passed.then(() => 201);
  return open;
}

const [masterKey, newMasterKey] = [randomBytes(32), randomBytes(32)].map((made) => made.toString('base64'));
const options = {
  routes: [createThing, createOther, replaceThing],
  idempotency: { waitMs: WAIT_MS, leaseMs: LEASE_MS },
  vault: Vault.fromMasterKeys(`1:${masterKey}`),
};
const api = await startTestApi(options);
const other = await startTestApi({ ...options, database: api.database });
const apiKey = (await api.createKey(api.database.tenant)).key;

describe('Idempotency-Key', () => {
  beforeEach(() => {
    runs = 0;
    handle = () => Promise.resolve(201);
  });

  const post = (key: string, body: unknown = { name: 'a' }, on = api, path = PATH): Promise<CallResult> =>
    on.call('POST', path, { key: apiKey, headers: { 'Idempotency-Key': key }, body });
  const claims = (key: string): Promise<{ state: string; awaited: boolean }[]> =>
    api.database.asOwner('SELECT state, awaited FROM idempotency_claims WHERE key = $1', [key]);
  const untilAwaited = async (key: string): Promise<void> =>
    await expect.poll(async () => (await claims(key))[0]?.awaited, { interval: 5 }).toBe(true);

  it('replays identical bytes with the header, also for a body with its members in another order', async () => {
    const key = randomUUID();
    const first = await post(key);
    const again = await api.call('POST', PATH, {
      key: apiKey,
      headers: { 'Idempotency-Key': key },
      raw: '  {"name" : "a"}',
    });
    expect([first.status, first.headers.get('X-Idempotent-Replay')]).toEqual([201, null]);
    expect([again.status, again.headers.get('X-Idempotent-Replay')]).toEqual([201, 'true']);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'));
    expect(runs).toBe(1);
  });

  it('knows the request again after a master key was added, and keeps no digest that could be guessed', async () => {
    const key = randomUUID();
    const first = await post(key);
    const vault = Vault.fromMasterKeys(`1:${masterKey},2:${newMasterKey}`);
    const later = await startTestApi({ ...options, database: api.database, vault });
    try {
      expect((await post(key, { name: 'a' }, later)).text).toBe(first.text);
      expect((await post(key, { name: 'b' }, later)).json).toMatchObject({ error: { code: 'idempotency_key_reuse' } });
    } finally {
      await later.close();
    }
    expect(runs).toBe(1);
    const asked = { method: 'POST', path: PATH, workspaceId: api.database.tenant.workspaceId, body: { name: 'a' } };
    const [claim] = await api.database.asOwner('SELECT request_digest FROM idempotency_claims WHERE key = $1', [key]);
    const [keyed] = options.vault.digests('an Idempotency-Key', requestDigestOf(asked));
    expect(claim).toEqual({ request_digest: keyed });
    expect(keyed).not.toContain(requestDigestOf(asked));
  });

  it('runs the handler once for twenty concurrent requests on two processes', async () => {
    const key = randomUUID();
    const open = pauseHandler();
    const pending = Array.from({ length: 20 }, (_, index) => post(key, { name: 'a' }, index % 2 === 0 ? api : other));
    await untilAwaited(key);
    open();
    const replies = await Promise.all(pending);
    expect(runs).toBe(1);
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.text}`)).size).toBe(1);
    expect(replies.filter((reply) => reply.headers.get('X-Idempotent-Replay') === 'true')).toHaveLength(19);
  });

  it('answers a waiting duplicate on the notification, not on a timer', async () => {
    const key = randomUUID();
    const open = pauseHandler();
    const first = post(key);
    await expect.poll(() => runs).toBe(1);
    const duplicate = post(key, { name: 'a' }, other);
    await untilAwaited(key);
    const openedAt = performance.now();
    open();
    await Promise.all([first, duplicate]);
    expect(performance.now() - openedAt).toBeLessThan(LEASE_MS / 2);
  });

  it('refuses the key with another body, method or path, also while the first is in flight', async () => {
    const key = randomUUID();
    const open = pauseHandler();
    const first = post(key);
    await expect.poll(() => runs).toBe(1);
    const attempts = async (): Promise<unknown[]> => [
      (await post(key, { name: 'b' })).json,
      (await post(key, { name: 'a' }, api, '/api/v2/others')).json,
      (await api.call('PUT', PATH, { key: apiKey, headers: { 'Idempotency-Key': key }, body: { name: 'a' } })).json,
    ];
    const reuse = { success: false, error: { code: 'idempotency_key_reuse' } };
    for (const json of await attempts()) expect(json).toMatchObject(reuse);
    open();
    await first;
    for (const json of await attempts()) expect(json).toMatchObject(reuse);
    expect(runs).toBe(1);
  });

  it('answers 409 idempotency_request_in_progress when the first does not finish in time', async () => {
    const key = randomUUID();
    const open = pauseHandler();
    const first = post(key);
    await expect.poll(() => runs).toBe(1);
    const startedAt = performance.now();
    const duplicate = await post(key);
    expect(duplicate.status).toBe(409);
    expect(duplicate.json).toMatchObject({ error: { code: 'idempotency_request_in_progress' } });
    // Far beyond one lease: the holder renewed it, so no other process acquired it.
    expect(performance.now() - startedAt).toBeGreaterThan(WAIT_MS - 50);
    expect(runs).toBe(1);
    open();
    expect((await first).status).toBe(201);
  });

  it.each([
    ['a refusal', () => Promise.reject(new ServiceError('CONFLICT')), 409],
    ['a crash', () => Promise.reject(new Error('broken')), 500],
  ])('frees the key after %s', async (_, failure, status) => {
    const key = randomUUID();
    handle = failure;
    expect((await post(key)).status).toBe(status);
    expect(await claims(key)).toEqual([]);
    handle = () => Promise.resolve(201);
    const again = await post(key);
    expect([again.status, again.headers.get('X-Idempotent-Replay')]).toEqual([201, null]);
    expect(runs).toBe(2);
  });

  it('accepts another body under the key of a failed request', async () => {
    const key = randomUUID();
    handle = () => Promise.reject(new ServiceError('CONFLICT'));
    await post(key);
    handle = () => Promise.resolve(201);
    expect((await post(key, { name: 'b' })).status).toBe(201);
  });

  it('lets exactly one of the waiting duplicates take over when the first fails', async () => {
    const key = randomUUID();
    const { open, passed } = gate();
    handle = async () => {
      if (runs > 1) return 201;
      await passed;
      throw new ServiceError('CONFLICT');
    };
    const first = post(key);
    await expect.poll(() => runs).toBe(1);
    const waiting = Array.from({ length: 6 }, (_, index) => post(key, { name: 'a' }, index % 2 === 0 ? api : other));
    await untilAwaited(key);
    open();
    expect((await first).status).toBe(409);
    const replies = await Promise.all(waiting);
    expect(replies.map((reply) => reply.status)).toEqual(Array(6).fill(201));
    expect(replies.filter((reply) => reply.headers.get('X-Idempotent-Replay') === 'true')).toHaveLength(5);
    expect(runs).toBe(2);
  });

  it('acquires the claim of a dead holder after its lease expires, for the same request only', async () => {
    const key = randomUUID();
    await post(key);
    // The state after a process was killed within the handler.
    await api.database.asOwner(
      `UPDATE idempotency_claims SET state = 'in_progress', response_status = NULL, response_body = NULL,
         lease_expires_at = clock_timestamp() + interval '500 milliseconds' WHERE key = $1`,
      [key],
    );
    expect((await post(key, { name: 'b' })).json).toMatchObject({ error: { code: 'idempotency_key_reuse' } });
    const startedAt = performance.now();
    const replies = await Promise.all([post(key), post(key, { name: 'a' }, other)]);
    expect(performance.now() - startedAt).toBeGreaterThan(300);
    expect(replies.map((reply) => reply.status)).toEqual([201, 201]);
    expect(runs).toBe(2);
  });

  it('expires a key after 24 hours', async () => {
    const key = randomUUID();
    await post(key);
    const [row] = await api.database.asOwner<{ hours: number }>(
      `SELECT (extract(epoch FROM expires_at - now()) / 3600)::float8 AS hours FROM idempotency_claims WHERE key = $1`,
      [key],
    );
    expect(row?.hours).toBeCloseTo(24, 2);
    await api.database.asOwner(
      `UPDATE idempotency_claims SET expires_at = now() - interval '1 second' WHERE key = $1`,
      [key],
    );
    expect((await post(key, { name: 'b' })).headers.get('X-Idempotent-Replay')).toBeNull();
    expect(runs).toBe(2);
  });

  it('scopes keys to an environment', async () => {
    const key = randomUUID();
    const staging = await api.createKey(api.database.tenants.staging);
    await post(key);
    const reply = await api.call('POST', PATH, {
      key: staging.key,
      headers: { 'Idempotency-Key': key },
      body: { name: 'b' },
    });
    expect([reply.status, runs]).toEqual([201, 2]);
  });

  it.each(['', 'x'.repeat(256)])('refuses a key of a bad length (%#)', async (key) => {
    const reply = await post(key);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { details: { issues: [{ path: 'headers.Idempotency-Key' }] } } });
    expect((await post('x'.repeat(255))).status).toBe(201);
  });

  it('claims nothing for a request that is not valid, nor for one without the header', async () => {
    const key = randomUUID();
    expect((await post(key, { name: 1 })).status).toBe(400);
    expect(await claims(key)).toEqual([]);
    await api.call('POST', PATH, { key: apiKey, body: { name: 'a' } });
    await api.call('POST', PATH, { key: apiKey, body: { name: 'a' } });
    expect(runs).toBe(2);
  });

  it('finishes and stores the reply when the caller has gone away', async () => {
    const key = randomUUID();
    const open = pauseHandler();
    const gone = new AbortController();
    const request = fetch(`${api.baseUrl}${PATH}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: '{"name":"a"}',
      signal: gone.signal,
    });
    await expect.poll(() => runs).toBe(1);
    gone.abort();
    await expect(request).rejects.toThrow(/abort/);
    open();
    await expect.poll(async () => (await claims(key))[0]?.state).toBe('completed');
    expect((await post(key)).headers.get('X-Idempotent-Replay')).toBe('true');
    expect(runs).toBe(1);
  });
});
