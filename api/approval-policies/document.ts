import {
  documentFormIssues,
  policyDocumentInSteps,
  type PolicyDocument,
} from '../../domain/approval-policies/document.ts';
import { documentDigestOf } from '../../domain/approval-policies/files.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import { type Issue, validationError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { Caller } from '../http/define-route.ts';

/**
 * Checks a request's document: its form, its names, and that every condition compiles. Yields to other requests in between.
 *
 * @throws {ServiceError} VALIDATION_ERROR with paths of the request.
 */
export async function readDocument(
  value: unknown,
  { tenant }: Pick<Caller, 'tenant'>,
): Promise<{ document: PolicyDocument; digest: string }> {
  const parsed = await policyTurns.run(tenant.environmentId, policyDocumentInSteps(value, 'body.document'));
  if (!parsed.ok) throw validationError(parsed.issues);
  return { document: parsed.document, digest: documentDigestOf(parsed.document) };
}

export function documentIssuesBeside(body: unknown): Issue[] {
  return isJsonObject(body) ? documentFormIssues(body['document'], 'body.document') : [];
}

/** Files checked in a body that is refused for another reason. */
const FILES_READ_MAX = 10;

export function fileIssuesBeside(body: unknown): Issue[] {
  const files = isJsonObject(body) ? body['files'] : null;
  if (!Array.isArray(files)) return [];
  return files.slice(0, FILES_READ_MAX).flatMap((file, index) => {
    const content = isJsonObject(file) ? file['content'] : null;
    return typeof content === 'string' ? documentFormIssues(content, `body.files[${index}].content`) : [];
  });
}
