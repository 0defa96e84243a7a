import { expect, test } from 'vitest';
import { startTestApi } from '../harness/test-api.ts';

const api = await startTestApi();

test('the documentation is public, and reads no cookie', async () => {
  for (const path of ['/llms.txt', '/api/docs/pages.json', '/openapi.json', '/mcp.md', '/oauth.md', '/docs/mcp']) {
    const reply = await api.call('GET', path, { headers: { Cookie: 'session=x', Authorization: 'Bearer nobody' } });
    expect(reply.status, path).toBe(200);
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('x-ratelimit-limit')).toBeNull();
  }
});

test('a path that nobody has is a problem outside /api/v2, and the error of the service inside', async () => {
  const outside = await api.call('GET', '/api/v1/messages');
  expect(outside.status).toBe(404);
  expect(outside.json).toMatchObject({ code: 'API_ROUTE_NOT_FOUND', status: 404 });
  for (const path of ['/api/v2/nope', '/api/v2/nope.md', '/api/v2/docs/pages.json', '/elsewhere']) {
    const inside = await api.call('GET', path);
    expect([inside.status, inside.headers.get('content-type')], path).not.toContain('application/problem+json');
    expect(inside.json, path).toMatchObject({ success: false });
  }
});

test('its pages lead to addresses of the service that answer', async () => {
  const full = (await api.call('GET', '/llms-full.txt')).text;
  const prose = full.replaceAll(/^(```+)[^]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const links = new Set([...prose.matchAll(/\]\((\/[^()\s#]*)/g)].map(([, link = '']) => link));
  expect(links).toContain('/api/v2/openapi.json');
  for (const link of links) expect((await api.call('GET', link)).status, link).toBe(200);
});
