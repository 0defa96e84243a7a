import { z } from 'zod';
import type { PolicyTrace, PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { ROLES } from '../../domain/roles.ts';
import { effectSchema, traceSchema } from './schemas.ts';

export const decisionMembers = {
  effect: effectSchema,
  source: z
    .enum(['policy', 'action', 'environment'])
    .describe("What decided: a rule, the action's own `approval.required`, or the default of the environment."),
  policyId: z.string().nullable(),
  version: z.int().nullable().describe('Number of the version of the policy.'),
  ruleId: z.string().nullable(),
  quorum: z
    .int()
    .nullable()
    .describe('How many must approve. Set, as the next three, where the effect is require_approval.'),
  approvers: z
    .array(
      z.strictObject({
        roles: z.array(z.enum(ROLES)).optional(),
        users: z.array(z.string()).optional(),
        keys: z.array(z.string()).optional(),
      }),
    )
    .nullable()
    .describe(
      'One for each rule that requires an approval: all of them must name the one who decides. `{}` names any key with `approvals:decide`, any admin or owner.',
    ),
  preventSelf: z.boolean().nullable(),
  expiresInSeconds: z.int().nullable(),
  reason: z.string(),
  refusal: z
    .strictObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe('The code of the refusal, where the effect is deny.'),
};

export const verdictSchema = z
  .strictObject({
    ...decisionMembers,
    revision: z.int().min(0).describe('The revision of the policies that were evaluated.'),
    trace: z.array(traceSchema).describe('Every rule that was looked at, in order.'),
  })
  .meta({ id: 'ApprovalPolicyVerdict' });

export type Decision = { [Member in keyof typeof decisionMembers]: z.input<(typeof decisionMembers)[Member]> };

export function presentDecision(verdict: PolicyVerdict): Decision {
  const { terms } = verdict;
  return {
    effect: verdict.effect,
    source: verdict.source,
    policyId: verdict.policyId,
    version: verdict.version,
    ruleId: verdict.ruleId,
    quorum: terms?.quorum ?? null,
    approvers: terms?.approversOfAll ?? null,
    preventSelf: terms?.preventSelf ?? null,
    expiresInSeconds: terms?.expiresInSeconds ?? null,
    reason: verdict.reason,
    refusal: verdict.refusal === null ? null : { code: verdict.refusal.code, message: verdict.refusal.message },
  };
}

export function presentTrace(trace: PolicyTrace): z.input<typeof traceSchema> {
  return { ...trace };
}
