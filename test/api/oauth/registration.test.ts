import { OAuthClientInformationFullSchema } from 'mcp-sdk-v1/shared/auth.js';
import { describe, expect, it } from 'vitest';
import { becomePublicClient } from '../../../api/oauth/public-client.ts';
import { redirectKindOf } from '../../../api/oauth/redirects.ts';
import { redirectSchemesSchema } from '../../../domain/configuration/schemas.ts';
import { parseAddressRanges } from '../../../domain/address-ranges.ts';
import { REDIRECT_SCHEMES_DEFAULT } from '../../../domain/oauth/redirect-schemes.ts';
import { type JsonObject, textOf } from '../../../domain/json.ts';
import { createPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { Visitor } from '../pages/support.ts';
import { beginAuthorization, decideConsent, findServer, openConsent, postForm, REDIRECT } from './support.ts';

/** RFC 7591 as the apps of today use it, and redirects that lead somewhere else than they say. */
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';
const DOCUMENT = 'https://editor.example/client.json';
const CODE_AND_REFRESH = ['authorization_code', 'refresh_token'];
const PUBLIC_CLIENT = {
  grant_types: CODE_AND_REFRESH,
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const api = await startTestApi({
  network: { publicUrl: null, trustedProxies: parseAddressRanges('127.0.0.1') },
  fetchClientDocument: (url) => {
    const metadata = {
      client_id: url,
      client_name: 'Documented editor',
      redirect_uris: [CURSOR, 'com.example.app:/callback'],
      grant_types: [...CODE_AND_REFRESH, 'urn:ietf:params:oauth:grant-type:device_code'],
      token_endpoint_auth_method: 'none',
      scope: 'actions:read editor:everything',
    };
    return Promise.resolve({ kind: 'fetched', bytes: Buffer.from(JSON.stringify(metadata)) });
  },
});
api.deps.pagesUrl = api.baseUrl;
const app = await findServer(`${api.baseUrl}/mcp`);
const person = await createPerson(api, 'admin');

let networks = 0;

/** Each from a network of its own: one network registers a few apps an hour. */
async function register(body: JsonObject): Promise<{ status: number; json: JsonObject }> {
  const headers = { 'X-Forwarded-For': `192.0.2.${++networks}` };
  const reply = await api.call('POST', '/oauth/register', { body, headers });
  return { status: reply.status, json: reply.json as JsonObject };
}

const REGISTRATIONS: Record<string, JsonObject> = {
  Cursor: {
    client_name: 'Cursor',
    redirect_uris: [CURSOR, 'https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback'],
    ...PUBLIC_CLIENT,
  },
  'claude.ai': {
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    ...PUBLIC_CLIENT,
    scope: 'claudeai',
  },
  'Claude Code': {
    client_name: 'Claude Code (service)',
    redirect_uris: ['http://localhost:54212/callback'],
    ...PUBLIC_CLIENT,
  },
  ChatGPT: {
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    grant_types: CODE_AND_REFRESH,
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  },
  'VS Code': {
    client_name: 'Visual Studio Code',
    client_uri: 'https://code.visualstudio.com',
    redirect_uris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    grant_types: [...CODE_AND_REFRESH, 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  'the MCP inspector': {
    client_name: 'MCP Inspector',
    client_uri: 'https://github.com/modelcontextprotocol/inspector',
    redirect_uris: ['http://localhost:6274/oauth/callback'],
    ...PUBLIC_CLIENT,
    scope: 'offline_access actions:read',
  },
  'a web app with a secret and a client grant': {
    redirect_uris: ['http://localhost:9/callback'],
    application_type: 'web',
    grant_types: ['client_credentials', ...CODE_AND_REFRESH],
    response_types: ['code', 'code id_token'],
    response_modes: ['query'],
    token_endpoint_auth_method: 'client_secret_basic',
    subject_type: 'pairwise',
    id_token_signed_response_alg: 'RS256',
    logo_uri: '',
  },
};

describe('a registration', () => {
  it.each(Object.entries(REGISTRATIONS))('of %s is answered with what a public client gets', async (_app, body) => {
    const { status, json } = await register(body);
    expect(json).toMatchObject({
      redirect_uris: body['redirect_uris'],
      grant_types: CODE_AND_REFRESH,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect([status, json['client_secret'], json['client_secret_expires_at']]).toEqual([201, undefined, undefined]);
    // As the official client reads it.
    expect(OAuthClientInformationFullSchema.safeParse(json).error).toBeUndefined();
  });

  it.each([
    ['claudeai', undefined],
    ['offline_access actions:read', 'actions:read offline_access'],
    ['openid profile email', 'openid'],
    ['actions:govern', undefined],
    [undefined, undefined],
  ])('that asks for the scope %s is answered with %s', async (scope, accepted) => {
    const asked = scope === undefined ? {} : { scope };
    const { status, json } = await register({ redirect_uris: ['https://x.example/cb'], ...asked });
    expect([status, json['scope']]).toEqual([201, accepted]);
  });

  it('does not bound what the app asks for later by the scope that it named', async () => {
    const { json } = await register({ redirect_uris: [REDIRECT], scope: 'actions:read' });
    const { url } = await beginAuthorization(app, { client_id: textOf(json, 'client_id'), scope: 'runs:read' });
    const { page } = await openConsent(new Visitor(api, { 'service-session': person.token }), url);
    expect(page.text).toContain('runs:read');
  });

  it('of one with only a code gets no refresh token', async () => {
    const { json } = await register({ redirect_uris: [REDIRECT], grant_types: ['authorization_code'] });
    expect(json['grant_types']).toEqual(['authorization_code']);
  });

  it.each([
    ['a scope that is no text', { scope: 5 }],
    ['grant types that are no list', { grant_types: 'authorization_code' }],
    ['a method that is no text', { token_endpoint_auth_method: 5 }],
    ['an application type that is none', { application_type: 'desktop' }],
  ])('with %s is a 400', async (_what, more) => {
    const { status, json } = await register({ redirect_uris: [REDIRECT], ...more });
    expect([status, json['error']]).toEqual([400, 'invalid_client_metadata']);
  });
});

describe('a redirect', () => {
  it.each([
    [CURSOR, 'app'],
    ['vscode://vscode.mcp/authenticate', 'app'],
    ['vscode-insiders://vscode.mcp/authenticate', 'app'],
    ['windsurf://codeium.windsurf/callback', 'app'],
    ['com.example.app:/oauth2redirect', 'app'],
    ['COM.EXAMPLE.APP://callback', 'app'],
    ['io.example.my-app.v2:callback', 'app'],
    ['https://app.example/cb?x=1', 'site'],
    ['http://127.0.0.1:9/cb', 'loopback'],
    ['http://[::1]/cb', 'loopback'],
  ])('%s leads to its kind', (redirect, kind) => {
    expect(redirectKindOf(redirect, REDIRECT_SCHEMES_DEFAULT)).toBe(kind);
  });

  const REFUSED = [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://x.example/1',
    'about:blank',
    'intent://x#Intent;end',
    'http://app.example/cb',
    'ftp://app.example/cb',
    'ws://localhost/cb',
    'agent://callback',
    'cursorx://callback',
    '//app.example/cb',
    'https://',
    'https://user:secret@app.example/cb',
    'cursor://user@host/cb',
    'https://app.example/cb#part',
    'https://app.example/cb#',
    'https://app.example/cb\r\nX-Header: 1',
    'https://app.example/cb\r',
    '\nhttps://app.example/cb',
    'https://app.example/c\tb',
    'https://app.example/cb\u0001',
    'https://app.example/cb\u007f',
    'https://app.example/cb\u0085',
    'https://app.example/cb\u2028',
    'https://app.example/cb\u200b',
    ' https://app.example/cb',
    'https://app.example/c b',
    'https:\\\\app.example\\cb',
    'cursor://anysphere.cursor-mcp/oauth\r\n/callback',
    'java\nscript:alert(1)',
    'http://127.0.0.1:9\r\n/cb',
  ];
  it.each(REFUSED)('%j is refused, when an app registers and when it asks', async (redirect) => {
    const before = api.logLines.length;
    const registered = await register({ redirect_uris: [redirect] });
    expect([registered.status, registered.json['error']]).toEqual([400, 'invalid_redirect_uri']);
    const { url } = await beginAuthorization(app, { redirect_uri: redirect });
    const asked = await new Visitor(api).get(`${url.pathname}${url.search}`);
    expect([asked.status, asked.location]).toEqual([400, null]);
    const exchanged = await postForm(api, '/oauth/token', {
      grant_type: 'authorization_code',
      client_id: app.config.clientMetadata().client_id,
      code: 'x',
      redirect_uri: redirect,
    });
    expect(exchanged.status).toBe(400);
    expect(api.logLines.slice(before).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it.each([
    'client_uri',
    'logo_uri',
    'policy_uri',
    'tos_uri',
    'jwks_uri',
    'initiate_login_uri',
    'sector_identifier_uri',
  ])('is as other URLs of a registration: %s with a line end is no failure of ours', async (member) => {
    const before = api.logLines.length;
    const { status } = await register({ redirect_uris: [REDIRECT], [member]: 'https://x.example/\r\nX: 1' });
    expect(status).toBe(400);
    expect(api.logLines.slice(before).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('of the schemes that the operator names, and of no scheme that runs something', () => {
    expect(redirectSchemesSchema.parse('Agent, cursor')).toEqual(['agent', 'cursor']);
    expect(redirectSchemesSchema.parse('')).toEqual([]);
    for (const wrong of ['javascript', 'https', 'a b', '1x', 'data', 'cursor://']) {
      expect(redirectSchemesSchema.safeParse(wrong).success).toBe(false);
    }
    expect([redirectKindOf('agent://x', ['agent']), redirectKindOf(CURSOR, ['agent'])]).toEqual(['app', null]);
  });
});

describe('the consent page', () => {
  async function consentFor(redirect: string, clientId: string): Promise<{ page: string; back: URL }> {
    const browser = new Visitor(api, { 'service-session': person.token });
    const { url } = await beginAuthorization(app, { client_id: clientId, redirect_uri: redirect });
    const { path, page } = await openConsent(browser, url);
    const { environmentId } = api.database.tenant;
    return { page: page.text, back: await decideConsent(browser, path, page.text, { environmentId }) };
  }

  it('shows the whole link of an app as what it is, and leads back to it', async () => {
    const { json } = await register(REGISTRATIONS['Cursor'] ?? {});
    const { page, back } = await consentFor(CURSOR, textOf(json, 'client_id'));
    expect(page).toContain(`<code>${CURSOR}</code>, an app on this device. Any app can claim such links`);
    expect(page).not.toContain('<code>null</code>');
    expect(back.href.startsWith(`${CURSOR}?`)).toBe(true);
    expect(back.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('does the same for an app of a metadata document', async () => {
    const redirect = 'com.example.app:/callback';
    const { page, back } = await consentFor(redirect, DOCUMENT);
    expect(page).toContain(`<code>${redirect}</code>, an app on this device`);
    expect(back.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('opens no app before anybody has signed in', async () => {
    const { json } = await register(REGISTRATIONS['Cursor'] ?? {});
    const params = { client_id: textOf(json, 'client_id'), redirect_uri: CURSOR, prompt: 'none' };
    const { url } = await beginAuthorization(app, params);
    const reply = await new Visitor(api).get(`${url.pathname}${url.search}`);
    expect([reply.status, reply.location]).toEqual([400, null]);
    expect(reply.text).not.toContain('href="cursor:');
  });
});

it('keeps what a stored app has: what was replaced once stays as it is', () => {
  const metadata = { client_id: 'x', ...REGISTRATIONS['VS Code'] } as Parameters<typeof becomePublicClient>[0];
  becomePublicClient(metadata, []);
  const once = structuredClone({ ...metadata });
  becomePublicClient(metadata, []);
  expect({ ...metadata }).toEqual(once);
});
