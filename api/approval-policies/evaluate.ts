import { z } from 'zod';
import { getAction } from '../../db/actions/queries.ts';
import { findPolicySet, readEvaluationContext } from '../../db/approval-policies/evaluation.ts';
import { evaluatePolicies } from '../../domain/approval-policies/evaluate-policies.ts';
import { policyDefaultsOf, policyFactsOf } from '../../domain/approval-policies/facts.ts';
import { policySets } from '../../domain/approval-policies/policy-set-cache.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import type { PolicyFacts } from '../../domain/approval-policies/verdict.ts';
import { validationError } from '../../domain/errors.ts';
import { idPattern } from '../../domain/ids.ts';
import { actionRefParams } from '../actions/action-schemas.ts';
import { anyJson } from '../http/common-fields.ts';
import { missingAction } from '../http/failures.ts';
import { defineRoute } from '../http/define-route.ts';
import { AGENT_ID_CHARACTERS_MAX } from '../actions/request-members.ts';
import { askedImpact } from './asked-impact.ts';
import { presentDecision, presentTrace, verdictSchema } from './verdict-schema.ts';

export const evaluateBody = z
  .strictObject({
    action: actionRefParams.shape.ref,
    input: z.record(z.string(), anyJson).describe("Checked against the action's inputSchema, as an invocation's is."),
    agentId: z.string().min(1).max(AGENT_ID_CHARACTERS_MAX).optional(),
    keyId: z
      .string()
      .regex(idPattern('apiKey'), 'must be an id of the form key_…')
      .optional()
      .describe('The key of this environment that would ask. Left out: whoever asks now.'),
  })
  .meta({ id: 'EvaluateApprovalPolicies' });

export const evaluateRoute = defineRoute({
  of: 'environment',
  id: 'approvalPolicies.evaluate',
  method: 'POST',
  path: '/api/v2/approval-policies/evaluate',
  summary: 'Evaluate the policies for an invocation',
  description:
    'Answers what the enabled policies would decide, and executes nothing. The reply names the rule that decided. It also ' +
    'lists every rule that was looked at, with the values that its condition saw.',
  scope: 'policies:read',
  role: 'member',
  request: { body: evaluateBody },
  response: { 200: verdictSchema },
  ownsItsTransaction: 'It evaluates in turns after its reads, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  exempt: { heldCredential: 'It writes nothing that a revoked credential could have asked for.' },
  async handler({ body, caller, actor, deps }) {
    const keyId = body.keyId ?? (actor.type === 'api_key' ? actor.id : null);
    const { action, context, found } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const named = await getAction(tx, body.action);
      if (named === null || named.archivedAt !== null) throw await missingAction(tx, body.action);
      return { action: named, context: await readEvaluationContext(tx, keyId), found: await findPolicySet(tx) };
    });
    if (body.keyId !== undefined && context.keyName === null) {
      throw validationError([{ path: 'body.keyId', message: 'no key of this environment has this id' }]);
    }
    const agentId = body.agentId ?? null;
    const asking: PolicyFacts['caller'] =
      keyId === null
        ? { type: 'user', id: actor.id, name: null, agentId }
        : { type: 'api_key', id: keyId, name: context.keyName, agentId };
    const subject = {
      action: { id: action.id, name: action.name, versionId: action.currentVersion.id },
      definition: action.definition,
      input: body.input,
      impact: await askedImpact(deps.schemas, caller.tenant.workspaceId, action, body.input),
      environment: context.environment,
      caller: asking,
      runId: null,
      now: new Date(),
    };
    const policies = 'set' in found ? found : await policySets.compile(found);
    await policyTurns.take(caller.tenant.environmentId);
    const verdict = evaluatePolicies(policies.set, policyFactsOf(subject), policyDefaultsOf(subject));
    return {
      status: 200,
      data: { ...presentDecision(verdict), revision: policies.revision, trace: verdict.trace.map(presentTrace) },
    };
  },
});
