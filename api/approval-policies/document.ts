import { parsePolicyDocument, type PolicyDocument } from '../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../domain/approval-policies/files.ts';
import { validationError } from '../../domain/errors.ts';

/**
 * The document of a request, checked whole: its form, its names, and that every condition compiles.
 *
 * @throws {ServiceError} VALIDATION_ERROR; the paths of its issues are those of the request.
 */
export function readDocument(value: unknown): { document: PolicyDocument; digest: string } {
  const parsed = parsePolicyDocument(value, 'body.document');
  if (!parsed.ok) throw validationError(parsed.issues);
  return { document: parsed.document, digest: documentDigestOf(parsed.document) };
}
