import { describe, expect, it } from 'vitest';
import { secretRoutes } from '../../../api/secrets/routes.ts';
import { SECRET_VALUE_BYTES_MAX } from '../../../api/secrets/schemas.ts';
import { readSealedSecrets } from '../../../db/secrets/secrets.ts';
import type { Vault } from '../../../db/secrets/vault.ts';
import { startTestApi } from '../harness/test-api.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

const VALUE = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const ROTATED = 'sk_live_9fQ1rotatedrotatedrotated';

const api = await startTestApi({ routes: secretRoutes });
const development = (await api.createKey(api.database.tenants.development)).key;
const production = (await api.createKey(api.database.tenants.production)).key;
checkEachReply(api);

const put = (name: string, body: unknown, key = development) =>
  api.call('PUT', `/api/v2/secrets/${name}`, { key, body });
const get = (name: string, key = development) => api.call('GET', `/api/v2/secrets/${name}`, { key });

function versionsOf(name: string): Promise<{ version: number; environment_id: string }[]> {
  return api.database.asOwner(
    `SELECT v.version, v.environment_id FROM secret_versions v JOIN secrets s ON s.id = v.secret_id WHERE s.name = $1 ORDER BY 1`,
    [name],
  );
}

async function open(name: string, key: 'development' | 'production' = 'development'): Promise<string | undefined> {
  const tenant = api.database.tenants[key];
  const [row] = await api.database.db.withEnvironment(tenant, (tx) => readSealedSecrets(tx, [name]));
  const vault = api.deps.vault as Vault;
  return row && vault.open({ ...tenant, name, version: row.version }, row.sealed);
}

describe('PUT /api/v2/secrets/{name}', () => {
  it('201: creates version 1, sealed', async () => {
    const reply = await put('STRIPE_KEY', { value: VALUE, description: 'refunds' });
    expect(reply).toMatchObject({
      status: 201,
      json: { success: true, data: { name: 'STRIPE_KEY', version: 1, description: 'refunds', rotatedAt: null } },
    });
    expect(reply.text).not.toContain(VALUE);
    expect(await versionsOf('STRIPE_KEY')).toMatchObject([
      { version: 1, environment_id: api.database.tenants.development.environmentId },
    ]);
    expect(await open('STRIPE_KEY')).toBe(VALUE);
  });

  it('200: rotates, keeps the description that is left out, removes the one that is null', async () => {
    await put('ROTATING', { value: VALUE, description: 'kept' });
    const rotated = await put('ROTATING', { value: ROTATED });
    expect(rotated).toMatchObject({
      status: 200,
      json: { data: { version: 2, description: 'kept', rotatedAt: expect.any(String) as string } },
    });
    expect(await open('ROTATING')).toBe(ROTATED);
    expect(await put('ROTATING', { value: ROTATED, description: null })).toMatchObject({
      json: { data: { version: 3, description: null } },
    });
  });

  it('200: rotations at the same time come one after the other', async () => {
    const values = Array.from({ length: 12 }, (_, index) => `value ${index}`);
    const replies = await Promise.all(values.map((value) => put('RACED', { value })));
    const versions = replies.map((reply) => (reply.json as { data: { version: number } }).data.version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(values.map((_, index) => index + 1));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    expect((await versionsOf('RACED')).map((row) => row.version)).toEqual(values.map((_, index) => index + 1));
    const last = replies.findIndex((_, index) => versions[index] === values.length);
    expect(await open('RACED')).toBe(values[last]);
  });

  it.each([
    ['no body', undefined, 'body'],
    ['no value', { description: 'x' }, 'body.value'],
    ['an empty value', { value: '' }, 'body.value'],
    ['a value of another type', { value: 7 }, 'body.value'],
    ['a value over 64 KiB', { value: 'x'.repeat(SECRET_VALUE_BYTES_MAX + 1) }, 'body.value'],
    ['a value over 64 KiB of UTF-8', { value: 'ü'.repeat(SECRET_VALUE_BYTES_MAX / 2 + 1) }, 'body.value'],
    ['an unknown field', { value: VALUE, valeu: VALUE }, 'body.valeu'],
    ['a description too long', { value: VALUE, description: 'x'.repeat(2001) }, 'body.description'],
  ])('400: %s, and nothing is stored', async (_what, body, path) => {
    const reply = await put('INVALID', body);
    expect(reply).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } },
    });
    expect(reply.text).not.toContain(VALUE);
    expect(await versionsOf('INVALID')).toEqual([]);
  });

  it.each(['1NAME', 'a'.repeat(65), 'a%20b', 'a%2Fb', '%00'])('400: the name %s', async (name) => {
    expect(await put(name, { value: VALUE })).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR' } },
    });
  });

  it('takes the largest value', async () => {
    const value = 'ü'.repeat(SECRET_VALUE_BYTES_MAX / 2);
    expect((await put('LARGEST', { value })).status).toBe(201);
    expect(await open('LARGEST')).toBe(value);
  });

  it('keeps no Idempotency-Key: a digest of the value would be one', async () => {
    const headers = { 'Idempotency-Key': 'put-secret' };
    await api.call('PUT', '/api/v2/secrets/KEYED', { key: development, body: { value: VALUE }, headers });
    expect(await api.database.asOwner('SELECT FROM idempotency_claims')).toEqual([]);
  });
});

describe('GET /api/v2/secrets', () => {
  it('200: pages, newest first, of this environment alone', async () => {
    const staging = (await api.createKey(api.database.tenants.staging)).key;
    for (const name of ['A', 'B', 'C']) await put(name, { value: VALUE }, staging);
    await api.call('DELETE', '/api/v2/secrets/B', { key: staging });
    await put('D', { value: VALUE }, staging);
    const first = await api.call('GET', '/api/v2/secrets?limit=2', { key: staging });
    expect(first).toMatchObject({
      status: 200,
      json: {
        data: [{ name: 'D' }, { name: 'C' }],
        pagination: { total: 3, page: 1, limit: 2, totalPages: 2, hasMore: true },
      },
    });
    expect(first.text).not.toContain(VALUE);
    expect(await api.call('GET', '/api/v2/secrets?limit=2&page=2', { key: staging })).toMatchObject({
      json: { data: [{ name: 'A' }], pagination: { hasMore: false } },
    });
    expect(await api.call('GET', '/api/v2/secrets?page=9', { key: staging })).toMatchObject({
      json: { data: [], pagination: { total: 3 } },
    });
  });

  it('400: a limit over 100', async () => {
    expect((await api.call('GET', '/api/v2/secrets?limit=101', { key: development })).status).toBe(400);
  });
});

describe('GET /api/v2/secrets/{name}', () => {
  it('200: everything but the value', async () => {
    await put('READ', { value: VALUE });
    const reply = await get('READ');
    expect(reply.status).toBe(200);
    expect(Object.keys((reply.json as { data: object }).data)).toEqual([
      'id',
      'name',
      'version',
      'description',
      'createdAt',
      'rotatedAt',
    ]);
  });

  it('404: unknown, or of another environment', async () => {
    await put('ONLY_HERE', { value: VALUE });
    for (const reply of [await get('UNKNOWN'), await get('ONLY_HERE', production), await get('only_here')]) {
      expect(reply).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
    }
  });
});

describe('DELETE /api/v2/secrets/{name}', () => {
  const remove = (path: string, key = development, body?: unknown) =>
    api.call('DELETE', `/api/v2/secrets/${path}`, { key, ...(body === undefined ? {} : { body }) });

  it('200: destroys every sealed version; a secret stored later starts with an unused version number', async () => {
    const { id } = ((await put('GONE', { value: VALUE, description: 'old' })).json as { data: { id: string } }).data;
    await put('GONE', { value: ROTATED });
    expect(await remove('GONE')).toMatchObject({ status: 200, json: { success: true, data: { deleted: true } } });
    expect(await versionsOf('GONE')).toEqual([]);
    expect((await get('GONE')).status).toBe(404);
    expect((await remove('GONE')).status).toBe(404);
    expect(await put('GONE', { value: VALUE })).toMatchObject({
      status: 201,
      json: { data: { id, version: 3, description: null, rotatedAt: null } },
    });
  });

  it.each([
    ['as a query parameter', '?confirmProtected=true', undefined],
    ['in the body', '', { confirmProtected: true }],
  ])('200: in a protected environment, confirmed %s', async (_how, query, body) => {
    await put('PROTECTED', { value: VALUE }, production);
    expect((await remove(`PROTECTED${query}`, production, body)).status).toBe(200);
    expect(await versionsOf('PROTECTED')).toEqual([]);
  });

  it.each([
    ['', undefined],
    ['?confirmProtected=false', undefined],
    ['', { confirmProtected: false }],
    ['', {}],
  ])('400: in a protected environment without the confirmation, and the secret stays (%s %j)', async (query, body) => {
    await put('GUARDED', { value: VALUE }, production);
    const reply = await remove(`GUARDED${query}`, production, body);
    expect(reply).toMatchObject({ status: 400, json: { error: { code: 'VALIDATION_ERROR' } } });
    expect(reply.text).toContain('confirmProtected=true');
    expect(await open('GUARDED', 'production')).toBe(VALUE);
  });
});

it('leaves no trace of a value in the database, the log or a reply', async () => {
  const canary = 'canary-7c1f0b5e9d';
  const replies = [
    await put('CANARY', { value: canary }),
    await put('CANARY', { value: `${canary}-2` }),
    await put('CANARY', { value: canary, unknown: 1 }),
    await get('CANARY'),
    await api.call('GET', '/api/v2/secrets', { key: development }),
  ];
  for (const reply of replies) expect(reply.text).not.toContain(canary);
  expect(api.logLines.join('\n')).not.toContain(canary);
  const tables = await api.database.asOwner<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`,
  );
  expect(tables.map((table) => table.name)).toContain('secret_versions');
  for (const { name } of tables) {
    const forms = [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64').slice(0, 20)];
    for (const form of forms) {
      const rows = await api.database.asOwner(`SELECT FROM ${name} AS t WHERE position($1 IN t::text) > 0`, [form]);
      expect(rows, `${form} in ${name}`).toEqual([]);
    }
  }
});
