import type { ResourceKind } from '../../db/oauth/grants.ts';
import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { MCP_PATH } from './mcp-path.ts';

/** The authorization server's own paths. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  registration: '/oauth/register',
} as const;

export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';
const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Where a user consents. Below the pages for people, so that a sign-in leads back to it. */
export const CONSENT_PATH = `${CONSOLE_PATH}/connect`;

const RESOURCE_PATHS: Readonly<Record<ResourceKind, string>> = { mcp: MCP_PATH, api: '/api/v2' };

/** The name of a resource in tokens, RFC 8707: its URL, without a slash at the end. */
export function resourceUrl(issuer: string, kind: ResourceKind): string {
  return `${issuer}${RESOURCE_PATHS[kind]}`;
}

/** Null for anything that is no resource of ours. */
export function resourceKindOf(issuer: string, url: string): ResourceKind | null {
  return RESOURCES.find((kind) => resourceUrl(issuer, kind) === url) ?? null;
}

/** The resource that a client names: a slash at the end makes no other one. Anything that is no resource of ours stays as it is. */
export function canonicalResource(issuer: string, named: string): string {
  const bare = named.endsWith('/') ? named.slice(0, -1) : named;
  return resourceKindOf(issuer, bare) === null ? named : bare;
}

/** The same for a parameter, which may be repeated. What names the same resource twice names one. */
export function canonicalResources(issuer: string, named: string | readonly string[]): string | string[] {
  const all = [...new Set([named].flat().map((one) => canonicalResource(issuer, one)))];
  return all.length === 1 ? (all[0] ?? '') : all;
}

export const RESOURCES: readonly ResourceKind[] = ['mcp', 'api'];

/** RFC 9728, 3.1: the path of the resource follows the well-known one. */
export function resourceMetadataPath(kind: ResourceKind): string {
  return `${RESOURCE_METADATA_PATH}${RESOURCE_PATHS[kind]}`;
}

/** The resource that a request is for; null for our other paths. */
export function resourceOfPath(path: string): ResourceKind | null {
  return RESOURCES.find((kind) => path === RESOURCE_PATHS[kind] || path.startsWith(`${RESOURCE_PATHS[kind]}/`)) ?? null;
}
