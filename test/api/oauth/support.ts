import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as openid from 'openid-client';
import { isJsonObject, type JsonObject, textOf } from '../../../domain/json.ts';
import { PASSWORD, type TestPerson } from '../harness/people.ts';
import type { TestApi } from '../harness/test-api.ts';
import { type Answer, hiddenFields, Visitor } from '../pages/support.ts';

export const REDIRECT = 'http://127.0.0.1:9/callback';

/** An app that found the authorization server and registered itself there. */
export interface App {
  config: openid.Configuration;
  resource: string;
  scopes: string;
}

/** From nothing but the URL of a resource: the 401, its metadata, the authorization server, the registration. */
export async function findServer(url: string): Promise<App> {
  const refused = await fetch(url, url.endsWith('/mcp') ? { method: 'POST', body: '{}' } : {});
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '')?.[1];
  if (refused.status !== 401 || metadataUrl === undefined) throw new Error(`${refused.status} leads to no metadata`);
  const metadata = (await (await fetch(metadataUrl)).json()) as JsonObject;
  const [issuer] = metadata['authorization_servers'] as string[];
  const config = await openid.dynamicClientRegistration(
    new URL(issuer ?? ''),
    { client_name: 'Test agent', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    openid.None(),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
  );
  openid.allowInsecureRequests(config);
  const scopes = (metadata['scopes_supported'] as string[]).join(' ');
  return { config, resource: textOf(metadata, 'resource'), scopes };
}

export interface Authorization {
  url: URL;
  verifier: string;
  state: string;
}

export async function beginAuthorization(app: App, params: Record<string, string> = {}): Promise<Authorization> {
  const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  const url = openid.buildAuthorizationUrl(app.config, {
    redirect_uri: REDIRECT,
    scope: app.scopes,
    resource: app.resource,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...params,
  });
  return { url, verifier, state };
}

/** The consent page to which a browser is led, as it is shown to whoever is signed in. */
export async function openConsent(browser: Visitor, url: URL): Promise<{ path: string; page: Answer }> {
  const answer = await browser.get(`${url.pathname}${url.search}`);
  if (answer.status !== 303 || answer.location === null) throw new Error(`no consent: ${answer.status} ${answer.text}`);
  const page = await browser.get(answer.location);
  return { path: answer.location, page };
}

/** What a person leaves chosen: the boxes that are checked, and what they choose beside them. */
export interface Choice {
  environmentId: string;
  /** Names of groups that they choose. */
  groups?: readonly string[];
  decision?: 'allow' | 'deny';
}

export function checkedFields(page: string): Record<string, string> {
  const boxes = [...page.matchAll(/<input type="checkbox" name="([^"]+)" checked>/g)];
  return Object.fromEntries(boxes.map(([, name = '']) => [name, 'on']));
}

/** Sends the form of the consent page, and follows to where the app would be called back. */
export async function decideConsent(browser: Visitor, path: string, page: string, choice: Choice): Promise<URL> {
  const { environmentId, groups = [], decision = 'allow' } = choice;
  const form = page.slice(page.lastIndexOf('<form'));
  const chosen = Object.fromEntries(groups.map((name) => [`group:${name}`, 'on']));
  const fields = { ...hiddenFields(form), ...checkedFields(form), ...chosen, environmentId, decision };
  const sent = await browser.post(path, fields);
  const back = await browser.get(nextOf(sent));
  if (back.location === null) throw new Error(`not sent back: ${back.status} ${back.text}`);
  return new URL(back.location);
}

/** Where the page that answers a decision leads by itself. */
export function nextOf(decided: Answer): string {
  const next = /^0; url=(.+)$/.exec(decided.headers.get('Refresh') ?? '')?.[1];
  if (decided.status !== 200 || next === undefined) throw new Error(`not decided: ${decided.status} ${decided.text}`);
  return next;
}

export interface Tokens {
  access: string;
  refresh: string;
  scopes: string[];
}

/** The whole way of an app in the browser of a person who is signed in. */
export async function connect(
  api: TestApi,
  app: App,
  person: Pick<TestPerson, 'token'>,
  choice: Choice,
  params: Record<string, string> = {},
): Promise<Tokens> {
  const browser = new Visitor(api, { 'service-session': person.token });
  const authorization = await beginAuthorization(app, params);
  const { path, page } = await openConsent(browser, authorization.url);
  const back = await decideConsent(browser, path, page.text, choice);
  return exchange(app, back, authorization);
}

export async function exchange(app: App, back: URL, { verifier, state }: Authorization): Promise<Tokens> {
  const reply = await openid.authorizationCodeGrant(
    app.config,
    back,
    { pkceCodeVerifier: verifier, expectedState: state },
    { resource: app.resource },
  );
  return tokensOf(reply);
}

export function tokensOf(reply: openid.TokenEndpointResponse): Tokens {
  if (reply.refresh_token === undefined) throw new Error('no refresh token');
  return { access: reply.access_token, refresh: reply.refresh_token, scopes: (reply.scope ?? '').split(' ') };
}

/** What the token endpoint answers to a form, success or not. */
export async function postForm(
  api: TestApi,
  path: string,
  fields: Record<string, string>,
): Promise<{ status: number; json: JsonObject }> {
  const reply = await api.call('POST', path, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  return { status: reply.status, json: isJsonObject(reply.json) ? reply.json : {} };
}

export function clientIdOf({ config }: App): string {
  return config.clientMetadata().client_id;
}

/** An official MCP client with this token. */
export async function mcpClient(api: Pick<TestApi, 'baseUrl'>, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', api.baseUrl), { requestInit: { headers } }));
  return client;
}

export async function signIn(browser: Visitor, path: string, email: string): Promise<Answer> {
  return browser.submit(path, { email, password: PASSWORD });
}
