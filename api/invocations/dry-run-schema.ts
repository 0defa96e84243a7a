import { z } from 'zod';
import { validationError } from '../../domain/errors.ts';
import { impactQuantitySchema } from '../../domain/impact.ts';
import type { JsonObject } from '../../domain/json.ts';
import { decisionMembers } from '../approval-policies/verdict-schema.ts';
import { allowanceSchema, previewSchema } from '../previews/schemas.ts';
import type { invokeBody } from './schemas.ts';

/** A dry run has no id and is not stored. */
export const dryRunSchema = z
  .strictObject({
    dryRun: z.literal(true),
    action: z.strictObject({ id: z.string(), name: z.string() }),
    versionId: z.string(),
    governed: z.boolean(),
    request: previewSchema.shape.request.describe(
      'What would be sent; credentials stand as `{{secret:NAME}}`. Ids of the invocation and the effect in it are examples.',
    ),
    target: previewSchema.shape.target,
    next: z
      .enum(['send', 'ask_for_approval', 'refuse', 'read_provider'])
      .describe(
        'What the service would do now. `read_provider`: only a read of the provider says what the invocation uses, and a preview makes it.',
      ),
    refusal: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    impact: z
      .array(impactQuantitySchema)
      .nullable()
      .describe('Null where only the provider knows it, or it has no bound.'),
    decision: z
      .strictObject({ effect: decisionMembers.effect, source: decisionMembers.source, quorum: decisionMembers.quorum })
      .nullable()
      .describe('What the approval policies decide. Null where it was refused before, or the impact is not known.'),
    allowances: z.array(allowanceSchema).describe('Those of the impact limits that apply. Nothing is reserved.'),
  })
  .meta({ id: 'DryRun' });

export type DryRun = z.input<typeof dryRunSchema>;

export interface DryRunRequest {
  ref: string;
  input: JsonObject;
  operationKey: string | null;
  runId: string | null;
  agentId: string | null;
}

/** @throws {ServiceError} VALIDATION_ERROR for members that only concern a real invocation. */
export function askedDryRun(ref: string, body: z.output<typeof invokeBody>): DryRunRequest {
  const { input, operationKey = null, runId = null, agentId = null } = body;
  const senseless = (['previewId', 'dependsOn', 'compensates', 'retryOf'] as const).filter(
    (member) => body[member] !== undefined,
  );
  if (senseless.length > 0) {
    const message = 'has no meaning in a dry run; leave it out';
    throw validationError(senseless.map((member) => ({ path: `body.${member}`, message })));
  }
  return { ref, input, operationKey, runId, agentId };
}
