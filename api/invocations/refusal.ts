import { z } from 'zod';
import type { InvocationRecord } from '../../db/invocations/records.ts';
import { nextStepOf } from '../../domain/next-step.ts';
import type { RefusalDetails } from '../../domain/refusal-facts.ts';
import { REFUSAL_CODES, refusalMessage } from '../../domain/refusals.ts';

const text = z.string().optional();

/** The code decides which members are present (docs/reference/refusals.md). */
const refusalDetailsSchema = z
  .strictObject({
    approvalId: text,
    effectId: text,
    previewId: text,
    policyId: text,
    ruleId: text,
    keyId: text,
    fileId: text,
    limitId: text,
    limitIds: z.array(z.string()).optional().describe('Every limit that has too little left, the named one first.'),
    available: z.int().optional(),
    requested: z.int().optional(),
    currency: text,
    resumeAt: z.iso.datetime().optional().describe('When the same may pass, or when the provider is read next.'),
    expiresAt: z.iso.datetime().optional(),
    versionId: text,
    currentVersionId: text,
    secrets: z.array(z.string()).optional().describe('Names of secrets.'),
    host: text,
    issues: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .optional()
      .describe('What to mend, each with a path such as `input.amount`.'),
  })
  .meta({ id: 'RefusalDetails' });

const code = z.enum(REFUSAL_CODES).meta({
  id: 'RefusalCode',
  description: 'Match on it. Each code is explained in docs/reference/refusals.md.',
});

export const refusalSchema = z
  .strictObject({ code, message: z.string(), details: refusalDetailsSchema })
  .meta({ id: 'Refusal' });

export const recordedRefusalSchema = refusalSchema
  .extend({ details: refusalDetailsSchema.optional() })
  .meta({ id: 'RecordedRefusal' });

type Refused = Pick<
  InvocationRecord,
  | 'id'
  | 'status'
  | 'grade'
  | 'effectId'
  | 'approvalId'
  | 'expiresAt'
  | 'namedPreviewId'
  | 'error'
  | 'refusalCode'
  | 'refusalDetails'
  | 'nextReadAt'
  | 'dependenciesAwaitedAt'
>;

/** Code and details are on record; the sentences derive from them. */
export function presentRefusal(record: Refused): {
  refusal: z.input<typeof refusalSchema> | null;
  nextStep: string | null;
} {
  const { id: invocationId, status, grade, effectId, approvalId, refusalCode, error } = record;
  const details: RefusalDetails = { ...record.refusalDetails };
  if (status === 'unknown' && record.nextReadAt !== null) details.resumeAt = record.nextReadAt.toISOString();
  const awaitsDependencies = record.dependenciesAwaitedAt !== null;
  const expiresAt = record.expiresAt?.toISOString() ?? null;
  const { namedPreviewId } = record;
  const ids = { invocationId, effectId, approvalId, namedPreviewId };
  const facts = { ...ids, status, grade, expiresAt, details, awaitsDependencies };
  return {
    refusal: refusalCode === null ? null : { code: refusalCode, message: refusalMessage(refusalCode, error), details },
    nextStep: nextStepOf({ ...facts, code: refusalCode }),
  };
}
