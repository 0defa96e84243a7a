import { policyDocumentInSteps, type PolicyDocument } from '../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../domain/approval-policies/files.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import { validationError } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';

/**
 * Checks the whole document of a request: its form, its names, and that every condition compiles. Other requests take turns in
 * between.
 *
 * @throws {ServiceError} VALIDATION_ERROR; the paths of its issues are those of the request.
 */
export async function readDocument(
  value: unknown,
  { tenant }: Pick<Caller, 'tenant'>,
): Promise<{ document: PolicyDocument; digest: string }> {
  const parsed = await policyTurns.run(tenant.environmentId, policyDocumentInSteps(value, 'body.document'));
  if (!parsed.ok) throw validationError(parsed.issues);
  return { document: parsed.document, digest: documentDigestOf(parsed.document) };
}
