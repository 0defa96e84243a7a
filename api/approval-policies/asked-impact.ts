import type { ActionRecord } from '../../db/actions/records.ts';
import type { ImpactQuantity } from '../../domain/actions.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { validationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { TenantSchemas } from '../json-schema/tenant-schemas.ts';
import { checkInput } from '../actions/check-input.ts';

/**
 * What an invocation with this input would use, by the action's declaration and the adapter's own knowledge. Reads no provider: an adapter
 * that would have to relies on the declaration.
 *
 * @throws {ServiceError} VALIDATION_ERROR for an input that is refused before policies are evaluated.
 */
export async function askedImpact(
  schemas: TenantSchemas,
  workspaceId: string,
  action: ActionRecord,
  input: JsonObject,
): Promise<ImpactQuantity[]> {
  checkInput(action, input, await schemas.validate(workspaceId, action.definition.inputSchema, input));
  const { definition } = action;
  const descriptor = adapterDescriptor(definition.adapter.type, definition.adapter.version);
  const impact = impactOf(descriptor, definition, input);
  if (impact.ok) return impact.quantities;
  const { code, message } = impact.refusal;
  const hint = descriptor.inspects ? ' A preview of the action reads the provider.' : '';
  throw validationError([{ path: 'body.input', message: `would be refused (${code}): ${message}.${hint}` }]);
}
