import { expect, it, test } from 'vitest';
import { type JsonObject, textOf } from '../../../domain/json.ts';
import { markup, Room, WebAddress } from '../../../api/html/markup.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { decoded, Visitor } from '../pages/support.ts';
import { beginAuthorization, findServer, REDIRECT } from './support.ts';

/** What anybody may send without an account: it is answered, and no failure of ours. */
const api = await startTestApi();
api.deps.pagesUrl = api.baseUrl;
const app = await findServer(`${api.baseUrl}/mcp`);

const errorLines = (): string[] => api.logLines.filter((line) => line.includes('"level":50'));

function register(more: string): ReturnType<TestApi['call']> {
  const raw = `{"token_endpoint_auth_method":"none",${more}}`;
  return api.call('POST', '/oauth/register', { raw, headers: { 'Content-Type': 'application/json' } });
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const redirects = `"redirect_uris":["${REDIRECT}"]`;

it.each([
  ['redirects that are no list', '"redirect_uris":{"length":1}', 'invalid_redirect_uri'],
  ['null for its redirects', '"redirect_uris":null', 'invalid_redirect_uri'],
  ['null for its name', `${redirects},"client_name":null`, 'invalid_client_metadata'],
  ['a number for its response modes', `${redirects},"response_modes":5`, 'invalid_client_metadata'],
  [
    'metadata too deep to store',
    `${redirects},"jwks":{"keys":[{"kty":"x","y":${nested(20_000)}}]}`,
    'invalid_client_metadata',
  ],
])('a registration with %s is a 400', async (_what, more, error) => {
  const before = errorLines();
  const reply = await register(more);
  expect([reply.status, textOf(reply.json as JsonObject, 'error')]).toEqual([400, error]);
  expect(errorLines()).toEqual(before);
});

test('a refusal before the sign-in shows where the app would have sent the user, as a link', async () => {
  const redirect = `https://phish.example/x?a='"<b>`;
  const registered = await register(`"redirect_uris":[${JSON.stringify(redirect)}]`);
  const client = { client_id: textOf(registered.json as JsonObject, 'client_id'), redirect_uri: redirect };
  const { url, state } = await beginAuthorization(app, { ...client, prompt: 'none' });
  const { status, location, text, headers } = await new Visitor(api).get(`${url.pathname}${url.search}`);
  expect([status, location]).toEqual([400, null]);
  const [, href = '', shown] = /<a href="([^"]*)" rel="noreferrer">([^<]*)<\/a>/.exec(text) ?? [];
  expect(shown).toBe('phish.example');
  const back = new URL(decoded(href));
  expect([back.origin, back.searchParams.get('error'), back.searchParams.get('state')]).toEqual([
    'https://phish.example',
    'consent_required',
    state,
  ]);
  expect(text).not.toContain('<b>');
  expect(headers.get('Refresh')).toBeNull();
});

test('an address of another site stands in a link only, and runs nothing', () => {
  expect(() => new WebAddress('javascript:alert(1)')).toThrow('http or https');
  const address = new WebAddress('https://site.example/"');
  expect(markup`<a href="${address}">`.render(new Room(100))).toBe('<a href="https://site.example/%22">');
  expect(() => markup`<form action="${address}">`).toThrow('a path of our own');
});
