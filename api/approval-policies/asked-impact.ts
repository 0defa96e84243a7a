import type { ActionDefinition, ImpactQuantity } from '../../domain/actions.ts';
import type { Issue } from '../../domain/errors.ts';
import { declaredImpact } from '../../domain/impact.ts';
import type { JsonObject } from '../../domain/json.ts';
import { compileSchema } from '../../domain/json-schema.ts';

export type AskedImpact = { ok: true; quantities: ImpactQuantity[] } | { ok: false; issues: Issue[] };

/** What an invocation with this input would use, or why there would be none: no policy is asked about those. */
export function impactOf(definition: ActionDefinition, input: JsonObject): AskedImpact {
  const issues = compileSchema(definition.inputSchema).validate(input);
  if (issues.length > 0) return { ok: false, issues };
  const impact = declaredImpact(definition.impact, input);
  if (impact.ok) return { ok: true, quantities: impact.quantities };
  const { code, message } = impact.refusal;
  return { ok: false, issues: [{ path: 'input', message: `is refused (${code}): ${message}` }] };
}
