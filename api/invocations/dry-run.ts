import { getAction } from '../../db/actions/get-action.ts';
import type { ActionRecord } from '../../db/actions/records.ts';
import { findPolicySet } from '../../db/approval-policies/find-policy-set.ts';
import { type EvaluationContext, readEvaluationContext } from '../../db/approval-policies/read-evaluation-context.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { readHalt } from '../../db/environments/read-halt.ts';
import { allowancesOf } from '../../db/impact-limits/list-allowances.ts';
import { readSecretVersions } from '../../db/secrets/read-secret-versions.ts';
import type { ImpactQuantity } from '../../domain/actions.ts';
import type { AdapterDescriptor, Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { evaluatePolicies } from '../../domain/approval-policies/evaluate-policies.ts';
import { policyDefaultsOf, policyFactsOf } from '../../domain/approval-policies/facts.ts';
import { policySets } from '../../domain/approval-policies/policy-set-cache.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { missingAction } from '../http/missing.ts';
import { missingSecrets } from '../../domain/secret-refusals.ts';
import type { EnvironmentHandlerContext } from '../http/route-context.ts';
import { withInputAnswers } from '../json-schema/input-answers.ts';
import { takeInput } from '../actions/attach-files.ts';
import { inBody } from '../actions/check-input.ts';
import type { DryRun, DryRunRequest } from './dry-run-schema.ts';

type Asking = Pick<EnvironmentHandlerContext<unknown, unknown, unknown>, 'deps' | 'caller' | 'actor' | 'transaction'>;

/** What one transaction read, and what follows from it without I/O. */
interface Planned {
  action: ActionRecord;
  /** With what its files are. */
  input: JsonObject;
  prepared: Exclude<Preparation, { kind: 'invalid' }>;
  /** Null: only the provider knows it, or it has no bound. */
  impact: ImpactQuantity[] | null;
  refusal: Refusal | null;
  allowances: DryRun['allowances'];
  context: EvaluationContext;
  found: Awaited<ReturnType<typeof findPolicySet>>;
}

/**
 * What an invocation with this input would do now, for plain actions too. It writes nothing, reserves nothing, opens no secret, starts no
 * workflow and reads no provider. The order of its reasons to refuse is that of an evaluation (`decideInvocation`).
 *
 * @throws {ServiceError} NOT_FOUND, and VALIDATION_ERROR where the input does not fit or does not render, as an invocation does.
 */
export async function dryRun({ deps, caller, actor, transaction }: Asking, request: DryRunRequest): Promise<DryRun> {
  const keyId = actor.type === 'api_key' ? actor.id : null;
  const planned = await withInputAnswers(deps.schemas, caller.tenant.workspaceId, (answers) =>
    transaction(async (tx) => {
      const action = await getAction(tx, request.ref);
      if (!action) throw await missingAction(tx, request.ref);
      if (action.archivedAt !== null) {
        throw new ServiceError('NOT_FOUND', { message: `Action ${action.name} is archived. Invoke a live one.` });
      }
      const { input } = await takeInput(tx, action, request.input, { answers, credential: caller });
      return plan(tx, action, { ...request, input }, keyId);
    }),
  );
  const { action, prepared, impact, allowances } = planned;
  const verdict = planned.refusal === null && impact !== null ? await decide(planned, impact, request, actor) : null;
  const refusal = planned.refusal ?? verdict?.refusal ?? refusalOfLimits(allowances);
  return {
    dryRun: true,
    action: { id: action.id, name: action.name },
    versionId: action.currentVersion.id,
    governed: action.definition.governed,
    request: prepared.request,
    target: prepared.target,
    next: nextOf(refusal, verdict),
    refusal: refusal === null ? null : { code: refusal.code, message: refusal.message },
    impact,
    decision:
      verdict === null
        ? null
        : { effect: verdict.effect, source: verdict.source, quorum: verdict.terms?.quorum ?? null },
    allowances,
  };

  async function decide(
    { context, found, input }: Planned,
    quantities: readonly ImpactQuantity[],
    { agentId, runId }: DryRunRequest,
    by: typeof actor,
  ): Promise<PolicyVerdict> {
    const subject = {
      action: { id: action.id, name: action.name, versionId: action.currentVersion.id },
      definition: action.definition,
      input,
      impact: quantities,
      environment: context.environment,
      caller:
        keyId === null
          ? { type: 'user' as const, id: by.id, name: null, agentId }
          : { type: 'api_key' as const, id: keyId, name: context.keyName, agentId },
      runId,
      now: new Date(),
    };
    const policies = 'set' in found ? found : await policySets.compile(found);
    await policyTurns.take(caller.tenant.environmentId);
    return evaluatePolicies(policies.set, policyFactsOf(subject), policyDefaultsOf(subject));
  }
}

async function plan(
  tx: EnvironmentTransaction,
  action: ActionRecord,
  { input, operationKey, agentId }: DryRunRequest,
  keyId: string | null,
): Promise<Planned> {
  const { definition } = action;
  const descriptor = adapterDescriptor(definition.adapter.type, definition.adapter.version);
  const invocationId = newId('invocation');
  const effectId = definition.governed ? newId('effect') : invocationId;
  const identity = { invocationId, effectId, operationKey: operationKey ?? invocationId };
  const prepared = descriptor.prepare({ definition, input, identity });
  if (prepared.kind === 'invalid') throw validationError(prepared.issues.map(inBody));
  const halt = await readHalt(tx);
  const declared = impactOf(descriptor, definition, input);
  const unsendable =
    halt === null
      ? await unsendableOf(tx, descriptor, action, prepared)
      : ({ code: 'environment_halted', message: halt.reason } satisfies Refusal);
  // An adapter that inspects learns the impact from the provider's record, which is not read here.
  const impact = declared.ok && !descriptor.inspects ? declared.quantities : null;
  const unbounded = declared.ok || descriptor.inspects ? null : declared.refusal;
  const facts = {
    impact: impact ?? [],
    actionName: action.name,
    adapterType: descriptor.type,
    apiKeyId: keyId,
    agentId,
    target: prepared.target,
  };
  return {
    action,
    input,
    prepared,
    impact,
    refusal: unsendable ?? unbounded,
    allowances: definition.governed ? await allowancesOf(tx, facts) : [],
    context: await readEvaluationContext(tx, keyId),
    found: await findPolicySet(tx),
  };
}

async function unsendableOf(
  tx: EnvironmentTransaction,
  descriptor: AdapterDescriptor,
  { definition }: ActionRecord,
  prepared: Planned['prepared'],
): Promise<Refusal | null> {
  if (prepared.kind === 'refused') return prepared.refusal;
  const names = descriptor.secretNames(definition);
  const versions = await readSecretVersions(tx, names);
  const missing = names.filter((name) => (versions[name] ?? 0) === 0);
  return missing.length === 0 ? null : missingSecrets(missing);
}

function refusalOfLimits(allowances: DryRun['allowances']): { code: string; message: string } | null {
  const short = allowances.find(({ sufficient }) => !sufficient);
  if (short === undefined) return null;
  const message = `the impact limit "${short.name}" (${short.limitId}) has ${short.available} of ${short.cap} ${short.unit} available, and ${short.requested} are needed`;
  return { code: short.refusal ?? 'impact_limit_exceeded', message };
}

function nextOf(refusal: { code: string } | null, verdict: PolicyVerdict | null): DryRun['next'] {
  if (refusal !== null) return 'refuse';
  if (verdict === null) return 'read_provider';
  return verdict.effect === 'require_approval' ? 'ask_for_approval' : 'send';
}
