import { digestOf } from '../../domain/canonical-json.ts';
import { validationError } from '../../domain/errors.ts';
import type { Json } from '../../domain/json.ts';

const KEY_LENGTH_MAX = 255;

/** "The same request": same method, path, workspace and JSON body. Rule 2 of docs/idempotency.md. */
export function requestDigestOf(request: { method: string; path: string; workspaceId: string; body: unknown }): string {
  const { method, path, workspaceId } = request;
  // The body comes from our own JSON parser, so it is a JSON value; a missing one is distinct from `null`.
  const body = request.body === undefined ? [] : [request.body as Json];
  return digestOf({ method, path, workspaceId, body });
}

/**
 * The Idempotency-Key of a request, or null where it has none.
 *
 * @throws {ServiceError} VALIDATION_ERROR unless it is given once, with 1 to 255 characters.
 */
export function idempotencyKeyOf(values: readonly string[] | undefined): string | null {
  if (values === undefined || values.length === 0) return null;
  const [key = '', ...others] = values;
  if (others.length === 0 && key.length >= 1 && key.length <= KEY_LENGTH_MAX) return key;
  throw validationError([
    { path: 'headers.Idempotency-Key', message: `must be given once, with 1 to ${KEY_LENGTH_MAX} characters` },
  ]);
}
