import { ServiceError, validationError } from '../../domain/errors.ts';
import type { HttpContext } from '../http/context.ts';
import { readBytes } from '../http/bodies.ts';

/** A note of 2,000 characters takes at most 24,000 bytes in a form. */
const FORM_BYTES_MAX = 65_536;

/**
 * Reads a form's fields, each once, and passes its CSRF token to the session check. Line ends become line feeds.
 *
 * @throws {ServiceError} PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR.
 */
export async function readForm(ctx: HttpContext): Promise<ReadonlyMap<string, string>> {
  const bytes = await readBytes(ctx.req, FORM_BYTES_MAX);
  if (ctx.is('application/x-www-form-urlencoded') === false) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the form of this page.' });
  }
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (fields.has(name)) throw validationError([{ path: `form.${name}`, message: 'is given twice' }]);
    if (value.includes('\0')) throw validationError([{ path: `form.${name}`, message: 'contains a NUL character' }]);
    fields.set(name, value.replaceAll('\r\n', '\n'));
  }
  ctx.state.formCsrfToken = fields.get('csrfToken') ?? '';
  return fields;
}

/** The answer of the authenticator that the script put into the form. Without the script there is none, which is no object. */
export function credentialIn(fields: ReadonlyMap<string, string>): unknown {
  try {
    return JSON.parse(fields.get('credential') ?? '') as unknown;
  } catch {
    return null;
  }
}
