import type { ErrorCode } from '../../domain/errors.ts';
import { callFromPage, type PageRequest } from '../html/page-request.ts';
import { credentialIn } from '../html/read-form.ts';
import { confirmWithPasskeyRoute } from './confirm-with-passkey.ts';

/** What a page with a form that a passkey confirms shows on itself. */
export const SHOWN_ON_PAGE: ReadonlySet<ErrorCode> = new Set([
  'CONFLICT',
  'AUTHORIZATION_ERROR',
  'VALIDATION_ERROR',
  'SECOND_FACTOR_REQUIRED',
  'RATE_LIMIT_EXCEEDED',
]);

/** Takes the passkey that the page's script has asked for. It counts for the next form too, whatever becomes of this one. */
export async function confirmOnPage(request: PageRequest, fields: ReadonlyMap<string, string>): Promise<void> {
  if ((fields.get('credential') ?? '') === '') return;
  await callFromPage(request, confirmWithPasskeyRoute, { body: { credential: credentialIn(fields) } });
}
