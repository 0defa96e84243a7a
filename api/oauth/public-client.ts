import type { ClientMetadata } from 'oidc-provider';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { isListOfTexts, redirectKindOf } from './redirects.ts';
import { SIGNING_ALGORITHM } from './signing-keys.ts';

/** What the server announces (`scopes_supported`). */
export const ANNOUNCED_SCOPES: readonly string[] = [...OFFERED_SCOPES, 'openid', 'offline_access'];

const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];

/**
 * Replaces what an app asks for by what every app gets here, in place (RFC 7591, 2: "the authorization server MAY replace any of the client's
 * requested metadata"): a public client, by code and refresh token. Apps that register once for many servers ask for more than one of
 * them has. A member of a wrong type stays, and is refused.
 */
export function becomePublicClient(metadata: ClientMetadata, schemes: readonly string[]): void {
  const asked: Record<string, unknown> = metadata;
  for (const [name, value] of Object.entries(asked)) {
    if (value === '') delete asked[name];
  }
  // A scope here would bound what the app may ask for later. The user bounds it, at each consent.
  if (typeof asked['scope'] === 'string') delete asked['scope'];
  if (typeof asked['token_endpoint_auth_method'] === 'string') asked['token_endpoint_auth_method'] = 'none';
  delete asked['client_secret'];
  delete asked['client_secret_expires_at'];
  delete asked['default_acr_values'];
  const grants = asked['grant_types'];
  if (isListOfTexts(grants)) {
    asked['grant_types'] = GRANT_TYPES.filter((type) => type === 'authorization_code' || grants.includes(type));
  }
  if (isListOfTexts(asked['response_types'])) asked['response_types'] = ['code'];
  if (typeof asked['subject_type'] === 'string') asked['subject_type'] = 'public';
  if (typeof asked['id_token_signed_response_alg'] === 'string') {
    asked['id_token_signed_response_alg'] = SIGNING_ALGORITHM;
  }
  const redirects = asked['redirect_uris'];
  const isOfSites = isListOfTexts(redirects) && redirects.every((one) => redirectKindOf(one, schemes) === 'site');
  if (asked['application_type'] === 'web' && !isOfSites) asked['application_type'] = 'native';
}

/** What the reply of a registration says of the scope that was asked for: what of it an app can get here. Null for nothing. */
export function acceptedScope(asked: unknown): string | null {
  if (typeof asked !== 'string') return null;
  const wanted = new Set(asked.split(' '));
  const accepted = ANNOUNCED_SCOPES.filter((scope) => wanted.has(scope));
  return accepted.length === 0 ? null : accepted.join(' ');
}
