import { describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../../domain/address-ranges.ts';
import { createPerson, PASSWORD } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';

const IDENTITY = '/api/v2/auth/identity';
const PUBLIC_URL = 'https://api.example.com';

const trustedProxies = parseAddressRanges('127.0.0.0/8');
const behindProxy = await startTestApi({ network: { publicUrl: PUBLIC_URL, trustedProxies } });
const { database } = behindProxy;
const exposed = await startTestApi({ database, network: { publicUrl: PUBLIC_URL, trustedProxies: [] } });
const inside = await startTestApi({ database, network: { publicUrl: null, trustedProxies } });
const key = (await behindProxy.createKey(database.tenant)).key;

describe('a service that is public over HTTPS', () => {
  it.each<[string, Record<string, string>]>([
    ['in clear', {}],
    ['in clear through the proxy', { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' }],
    [
      'in clear through the proxy, which a client denies',
      { 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-For': '1.1.1.1, 203.0.113.9' },
    ],
    ['in clear through a proxy that speaks RFC 7239', { Forwarded: 'for=203.0.113.9;proto=http' }],
  ])('refuses what came %s, before it looks at the credential', async (_, headers) => {
    for (const credential of [key, 'nonsense']) {
      const reply = await behindProxy.call('GET', IDENTITY, { key: credential, headers });
      expect([reply.status, reply.json]).toMatchObject([403, { success: false, error: { code: 'HTTPS_REQUIRED' } }]);
      expect(reply.text).toContain(PUBLIC_URL);
      expect(reply.headers.get('Strict-Transport-Security')).toBeNull();
    }
  });

  it.each<[string, Record<string, string>]>([
    ['X-Forwarded-Proto', { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' }],
    ['Forwarded', { Forwarded: 'for=203.0.113.9;proto=https' }],
  ])('answers what its proxy took over TLS (%s), and tells browsers to stay there', async (_, headers) => {
    const reply = await behindProxy.call('GET', IDENTITY, { key, headers });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Strict-Transport-Security')).toBe('max-age=31536000; includeSubDomains');
  });

  it('sets a Secure session cookie for what its proxy took over TLS, though the proxy names the upstream as Host', async () => {
    const { email } = await createPerson(behindProxy, 'member');
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };
    const body = { email, password: PASSWORD };
    const reply = await behindProxy.call('POST', '/api/v2/auth/session', { body, headers });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Set-Cookie')).toMatch(/^__Host-service-session=.*; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('believes nobody whom it was not told to trust', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https', Forwarded: 'proto=https' };
    expect((await exposed.call('GET', IDENTITY, { key, headers })).status).toBe(403);
  });

  it('answers health checks in clear', async () => {
    expect((await exposed.call('GET', '/healthz')).status).toBe(200);
    expect((await exposed.call('GET', '/readyz')).status).toBe(200);
    expect((await exposed.call('GET', '/api/v2/openapi.json')).status).toBe(403);
  });

  it('requires nothing where nobody said that it is public', async () => {
    const reply = await inside.call('GET', IDENTITY, { key });
    expect([reply.status, reply.headers.get('Strict-Transport-Security')]).toEqual([200, null]);
  });
});
