import { MissingScopesError } from './errors.ts';
import { isObject } from './replies.ts';

const TYPES: ReadonlySet<unknown> = new Set(['api_key', 'session', 'oauth']);
const SCOPE = /^[a-z]+(-[a-z]+)*:[a-z]+(-[a-z]+)*$/;

/**
 * Whether a credential holds every required scope and none of the forbidden ones. `reply` is the whole body of
 * `GET /api/v2/auth/identity`. A malformed one fails, since nothing is known of the credential then. A session has roles instead of scopes,
 * and satisfies none.
 *
 * @throws {MissingScopesError}
 */
export function checkScopes(reply: unknown, required: readonly string[], forbidden: readonly string[] = []): void {
  const held = scopesOf(reply);
  if (held === null) throw new MissingScopesError({ missing: once(required), forbidden: [], malformed: true });
  const missing = once(required).filter((scope) => !held.has(scope));
  const excess = once(forbidden).filter((scope) => held.has(scope));
  if (missing.length > 0 || excess.length > 0) throw new MissingScopesError({ missing, forbidden: excess });
}

/** Null for a malformed identity. */
function scopesOf(reply: unknown): ReadonlySet<string> | null {
  if (!isObject(reply) || reply['success'] !== true || !isObject(reply['data'])) return null;
  const { type, scopes, keyId, environment } = reply['data'];
  if (!TYPES.has(type) || !Array.isArray(scopes)) return null;
  if (!scopes.every((scope): scope is string => typeof scope === 'string' && SCOPE.test(scope))) return null;
  if (type === 'api_key' && !(isText(keyId) && isObject(environment) && isText(environment['id']))) return null;
  return new Set(type === 'session' ? [] : scopes);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function once(scopes: readonly string[]): string[] {
  return [...new Set(scopes)];
}
