import type { ActionRecord } from '../../db/actions/records.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { type Issue, validationError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';

/**
 * Checks that an input fits the action's schema and renders.
 *
 * @param schemaIssues from `TenantSchemas`, or `withInputAnswers` inside a transaction.
 *
 * @throws {ServiceError} VALIDATION_ERROR with every issue.
 */
export function checkInput(action: ActionRecord, input: JsonObject, schemaIssues: readonly Issue[]): void {
  if (schemaIssues.length > 0) throw validationError(schemaIssues.map(inBody));
  const descriptor = adapterDescriptor(action.definition.adapter.type, action.definition.adapter.version);
  const stand = newId('invocation'); // the real ids are given at admission; any will do to see whether the templates resolve
  const prepared = descriptor.prepare({
    definition: action.definition,
    input,
    identity: { invocationId: stand, effectId: stand, operationKey: stand },
  });
  if (prepared.kind === 'invalid') throw validationError(prepared.issues.map(inBody));
}

/** Issues in the input get the path in the caller's body; issues in the definition keep theirs. */
export function inBody(issue: Issue): Issue {
  return issue.path.startsWith('input') ? { ...issue, path: `body.${issue.path}` } : issue;
}
