import { z } from 'zod';
import type {
  ListedPolicyRecord,
  ListedPolicyVersionRecord,
  PolicyRecord,
  PolicyVersionRecord,
} from '../../db/approval-policies/records.ts';
import { policyDocumentSchema } from '../../domain/approval-policies/document.ts';
import { POLICY_EFFECTS } from '../../domain/approval-policies/verdict.ts';
import { idPattern } from '../../domain/ids.ts';
import { governanceWarningSchema, orShortened, queryBoolean, versionNumber } from '../http/common-fields.ts';

export const policyParams = z.strictObject({
  policyId: z.string().regex(idPattern('approvalPolicy'), 'must be an id of the form pol_…'),
});

export const policyVersionParams = z.strictObject({
  policyId: policyParams.shape.policyId,
  version: versionNumber,
});

export const listPoliciesQuery = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('Exactly this name.'),
  enabled: queryBoolean.optional().describe('Only those that are enabled, or only those that are not.'),
  includeArchived: queryBoolean.optional().describe('Deleted policies too; they are left out otherwise.'),
});

const documentMember = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .describe(
    'A policy document `{ schema: "approval-policy/v1", name, priority, rules }`, as an object or as a string of YAML. What it leaves out is filled in with its default.',
  );

export const createPolicyBody = z.strictObject({ document: documentMember }).meta({ id: 'CreateApprovalPolicy' });

export const updatePolicyBody = z
  .strictObject({
    document: documentMember.optional(),
    enabled: z.boolean().optional().describe('A policy that is not enabled decides nothing.'),
    expectedVersion: z
      .int()
      .min(1)
      .optional()
      .describe('Answers 409 where the policy is at another version: it was changed meanwhile.'),
  })
  .meta({ id: 'UpdateApprovalPolicy' });

export const shownDocument = policyDocumentSchema.meta({ id: 'ApprovalPolicyDocument' });

export const policySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    priority: z.int().describe('That of the newest document.'),
    enabled: z.boolean(),
    version: z.int().min(1).describe('Number of the newest version.'),
    document: shownDocument,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    archivedAt: z.iso
      .datetime()
      .nullable()
      .describe('Set once it was deleted: it decides nothing, and its history stays.'),
  })
  .meta({ id: 'ApprovalPolicy' });

export const writtenPolicySchema = policySchema
  .extend({ warnings: z.array(governanceWarningSchema).describe('What in the document may be a slip.') })
  .meta({ id: 'WrittenApprovalPolicy' });

export const policyVersionSchema = z
  .strictObject({
    policyId: z.string(),
    version: z.int().min(1),
    digest: z.string().describe('SHA-256 over the RFC 8785 (JCS) bytes of the document.'),
    document: shownDocument,
    createdBy: z.strictObject({ type: z.string(), id: z.string() }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ApprovalPolicyVersion' });

export const listedPolicySchema = policySchema
  .extend({ document: orShortened(shownDocument) })
  .meta({ id: 'ListedApprovalPolicy' });
export const listedPolicyVersionSchema = policyVersionSchema
  .extend({ document: orShortened(shownDocument) })
  .meta({ id: 'ListedApprovalPolicyVersion' });

export const effectSchema = z.enum(POLICY_EFFECTS);

export const traceSchema = z
  .strictObject({
    policyId: z.string().nullable().describe('null in a test of files: they are no policies yet.'),
    policyName: z.string(),
    version: z.int().nullable(),
    ruleId: z.string(),
    outcome: z
      .enum(['matched', 'not_matched', 'condition_false', 'error'])
      .describe('`not_matched`: `match` did not hold; `condition_false`: `when` did not.'),
    effect: effectSchema.describe('What the rule asks for.'),
    detail: z.string().nullable().describe('Which part of `match` did not hold, or the error of the expression.'),
    values: z.record(z.string(), z.string()).describe('What the expression saw, by path.'),
  })
  .meta({ id: 'ApprovalPolicyTrace' });

export function presentPolicy(policy: PolicyRecord): z.input<typeof policySchema> {
  return { ...presentRest(policy), document: policy.document };
}

export function presentListedPolicy(policy: ListedPolicyRecord): z.input<typeof listedPolicySchema> {
  return { ...presentRest(policy), document: policy.document };
}

function presentRest(policy: Omit<PolicyRecord, 'document'>): Omit<z.input<typeof policySchema>, 'document'> {
  return {
    id: policy.id,
    name: policy.name,
    priority: policy.priority,
    enabled: policy.enabled,
    version: policy.version,
    createdAt: policy.createdAt.toISOString(),
    updatedAt: policy.updatedAt.toISOString(),
    archivedAt: policy.archivedAt?.toISOString() ?? null,
  };
}

export function presentPolicyVersion(version: PolicyVersionRecord): z.input<typeof policyVersionSchema> {
  return { ...version, createdAt: version.createdAt.toISOString() };
}

export function presentListedPolicyVersion(
  version: ListedPolicyVersionRecord,
): z.input<typeof listedPolicyVersionSchema> {
  return { ...version, createdAt: version.createdAt.toISOString() };
}
