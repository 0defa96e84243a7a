import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { generateApiKey, revokeApiKey } from '../../../db/api-keys/api-keys.ts';
import { DEFAULT_KEY_SCOPES, PRESET_SCOPES } from '../../../domain/scopes.ts';
import { startTestApi } from '../harness/test-api.ts';

const IDENTITY = '/api/v2/auth/identity';

const api = await startTestApi();
const other = await startTestApi({ database: api.database });

describe('API key authentication', () => {
  it('answers who the caller is, and nothing that opens anything', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { record, key } = await api.createKey(api.database.tenant, { preset: 'read_only', expiresAt });
    const reply = await api.call('GET', IDENTITY, { key });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    expect(reply.json).toEqual({
      success: true,
      data: {
        type: 'api_key',
        keyId: record.id,
        workspaceId: api.database.tenant.workspaceId,
        environment: { id: api.database.tenant.environmentId, name: 'Development', kind: 'development' },
        scopes: [...PRESET_SCOPES.read_only].sort(),
        preset: 'read_only',
        expiresAt: expiresAt.toISOString(),
      },
    });
    expect(reply.text).not.toContain(key);
    expect(api.replyViolations).toEqual([]);
  });

  it('stores of a key its hash and first 18 characters only', async () => {
    const { record, key } = await api.createKey(api.database.tenant);
    expect(key).toMatch(/^service_live_[0-9A-Za-z]{32}$/);
    expect(record.keyPrefix).toBe(key.slice(0, 18));
    const rows = await api.database.asOwner<{ row: string }>('SELECT to_jsonb(k)::text AS row FROM api_keys k');
    expect(rows.some(({ row }) => row.includes(key) || row.includes(key.slice(18)))).toBe(false);
  });

  it('gives a key with neither preset nor scopes every scope that is not privileged', async () => {
    const { record } = await api.createKey(api.database.tenant, {});
    expect(record).toMatchObject({ preset: null, scopes: DEFAULT_KEY_SCOPES });
  });

  it.each([
    ['no header', undefined, 'the request has no Authorization header'],
    ['an empty header', '', 'the request has no Authorization header'],
    ['another scheme', 'Basic eDp5', 'the Authorization header does not begin with Bearer'],
    ['a key without its scheme', generateApiKey(), 'the Authorization header does not begin with Bearer'],
  ])('says that the request has %s', async (_what, authorization, why) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const reply = await api.call('GET', IDENTITY, { headers });
    const isAbsent = authorization === undefined || authorization === '';
    expect(reply.headers.get('WWW-Authenticate')?.startsWith('Bearer resource_metadata=')).toBe(isAbsent);
    expect([reply.status, reply.json]).toMatchObject([
      401,
      {
        error: {
          code: 'AUTHENTICATION_ERROR',
          message: `Authentication failed: ${why}. Send Authorization: Bearer <API_KEY>.`,
        },
      },
    ]);
  });

  it('answers a malformed, unknown, expired and revoked key with the same bytes', async () => {
    const { tenant } = api.database;
    const expired = await api.createKey(tenant, { expiresAt: new Date(Date.now() - 1_000) });
    const revoked = await api.createKey(tenant);
    await api.database.db.withWorkspace(tenant.workspaceId, (tx) => revokeApiKey(tx, revoked.record.id));
    const valid = await api.createKey(tenant);
    const authorizations = [
      'Bearer',
      'Bearer nonsense',
      `Bearer ${valid.key}x`,
      `Bearer ${valid.key.toUpperCase()}`,
      `Bearer ${generateApiKey()}`,
      `Bearer ${expired.key}`,
      `Bearer ${revoked.key}`,
    ];
    for (const authorization of authorizations) {
      const headers = { 'X-Request-Id': 'same', Authorization: authorization };
      const reply = await api.call('GET', IDENTITY, { headers });
      expect([authorization, reply.status]).toEqual([authorization, 401]);
      const metadata = 'resource_metadata="https://runtime.example.com/.well-known/oauth-protected-resource/api/v2"';
      expect(reply.headers.get('WWW-Authenticate')).toBe(`Bearer error="invalid_token", ${metadata}`);
      expect(reply.json).toEqual({
        success: false,
        error: {
          code: 'AUTHENTICATION_ERROR',
          message: 'Authentication failed. Send a valid API key as "Authorization: Bearer <API_KEY>".',
        },
        requestId: 'same',
      });
    }
  });

  it('looks every refused key up in the same way, so that time tells nothing', async () => {
    const ask = vi.spyOn(api.deps.db.directory, 'raw');
    onTestFinished(() => ask.mockRestore());
    for (const headers of [{ Authorization: 'Bearer nonsense' }, { Authorization: `Bearer ${generateApiKey()}` }]) {
      ask.mockClear();
      await api.call('GET', IDENTITY, { headers });
      expect(ask.mock.calls.filter(([, sql]) => sql.includes('find_api_key'))).toHaveLength(1);
    }
  });

  it('refuses a key from the moment it expires', async () => {
    const expiresAt = new Date(Date.now() + 1_000);
    const { key } = await api.createKey(api.database.tenant, { expiresAt });
    const asked: { beganAt: number; endedAt: number; status: number }[] = [];
    const ask = async (): Promise<number> => {
      const beganAt = Date.now();
      const { status } = await api.call('GET', IDENTITY, { key });
      asked.push({ beganAt, endedAt: Date.now(), status });
      return status;
    };
    await expect.poll(ask).toBe(401);
    await ask(); // the refused one may have begun before
    const before = asked.filter(({ endedAt }) => endedAt < expiresAt.getTime());
    const after = asked.filter(({ beganAt }) => beganAt > expiresAt.getTime());
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set(before.length > 0 ? [200] : []));
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
  });

  it('refuses a revoked key on the very next request at every API process, 200 times over', async () => {
    const { tenant, db } = api.database;
    for (let round = 0; round < 200; round++) {
      const { record, key } = await api.createKey(tenant);
      for (const process of [api, other]) expect((await process.call('GET', IDENTITY, { key })).status).toBe(200);
      await db.withWorkspace(tenant.workspaceId, (tx) => revokeApiKey(tx, record.id));
      const replies = await Promise.all([api, other].map((process) => process.call('GET', IDENTITY, { key })));
      expect([round, ...replies.map((reply) => reply.status)]).toEqual([round, 401, 401]);
    }
  });

  it('remembers the use of a key, once a minute, and makes no request wait for it', async () => {
    const { record, key } = await api.createKey(api.database.tenant);
    const lastUse = async (): Promise<Date | null> =>
      (
        await api.database.asOwner<{ at: Date | null }>('SELECT last_used_at AS at FROM api_keys WHERE id = $1', [
          record.id,
        ])
      )[0]?.at ?? null;
    expect(await lastUse()).toBeNull();
    await Promise.all(Array.from({ length: 10 }, () => api.call('GET', IDENTITY, { key })));
    await expect.poll(lastUse).toBeInstanceOf(Date);
    const first = await lastUse();
    await api.call('GET', IDENTITY, { key });
    await other.call('GET', IDENTITY, { key });
    expect(await lastUse()).toEqual(first);
    await api.database.asOwner("UPDATE api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = $1", [
      record.id,
    ]);
    await api.call('GET', IDENTITY, { key });
    await expect.poll(async () => Date.now() - ((await lastUse())?.getTime() ?? 0)).toBeLessThan(5_000);
  });

  it('never logs a key', async () => {
    const { key } = await api.createKey(api.database.tenant);
    await api.call('GET', `${IDENTITY}?key=${key}`, { key, headers: { Cookie: key } });
    await api.call('POST', `/api/v2/${key}`, { key, body: { key } });
    expect(api.logLines.length).toBeGreaterThan(0);
    expect(api.logLines.filter((line) => line.includes(key.slice(18)))).toEqual([]);
  });
});
