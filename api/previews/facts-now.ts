import type { ActionRecord } from '../../db/actions/records.ts';
import { findPolicySet, readEvaluationContext } from '../../db/approval-policies/evaluation.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findEffects } from '../../db/effects/queries.ts';
import { readHalt } from '../../db/environments/halt.ts';
import { type LimitsNow, readLimits } from '../../db/impact-limits/allowances.ts';
import { readSecretVersions } from '../../db/secrets/secrets.ts';
import type { ImpactQuantity } from '../../domain/actions.ts';
import type { AdapterDescriptor, Preparation, RequestIdentity } from '../../domain/adapters/adapter-descriptor.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import { evaluatePolicies, type PolicySet } from '../../domain/approval-policies/evaluate-policies.ts';
import { policyDefaultsOf, policyFactsOf } from '../../domain/approval-policies/facts.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { compiledOrEnd } from '../../domain/approval-policies/with-compiled-policies.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import { judgedDependencies } from '../../domain/invocations/dependencies.ts';
import { type Facts, NOTHING_KNOWN, refusalBy } from '../../domain/invocations/judgement.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { Actor } from '../http/define-route.ts';
import { inBody } from '../actions/check-input.ts';

/** An invocation that is evaluated without being made, for a dry run or a preview. */
export interface AskedNow {
  action: ActionRecord;
  descriptor: AdapterDescriptor;
  /** Holds the facts of its files. */
  input: JsonObject;
  identity: RequestIdentity;
  actor: Actor;
  agentId: string | null;
  runId: string | null;
  dependsOn?: readonly string[];
  /** The provider's record, for an inspecting adapter. */
  observation: Observation | null;
}

export interface FactsNow {
  facts: Facts;
  prepared: Exclude<Preparation, { kind: 'invalid' }>;
  /** Null when only the provider knows it, or it is unbounded. */
  impact: readonly ImpactQuantity[] | null;
  limits: LimitsNow;
  secretVersions: Readonly<Record<string, number>>;
  policies: { revision: number; set: PolicySet };
}

/**
 * Reads the present facts for a judgement. Writes, reserves and opens nothing, and reads no provider. Requires a transaction of
 * `withCompiledPolicies`.
 *
 * @throws {ServiceError} VALIDATION_ERROR when the request does not render.
 */
export async function readFactsNow(tx: EnvironmentTransaction, asked: AskedNow, now: Date): Promise<FactsNow> {
  const { action, descriptor, input, identity, actor, agentId, observation, dependsOn = [] } = asked;
  const { definition } = action;
  const prepared = descriptor.prepare({ definition, input, identity });
  if (prepared.kind === 'invalid') throw validationError(prepared.issues.map(inBody));
  const isUnread = descriptor.inspects && observation === null;
  const declared = isUnread ? null : impactOf(descriptor, definition, input, observation?.preconditions ?? null);
  const impact = declared?.ok ? declared.quantities : null;
  const names = descriptor.secretNames(definition);
  const secretVersions = await readSecretVersions(tx, names);
  const { policies, verdict } = await judgedByPolicies(tx, asked, impact, now);
  const limited = {
    impact: impact ?? [],
    actionName: action.name,
    adapterType: descriptor.type,
    apiKeyId: actor.type === 'api_key' ? actor.id : null,
    agentId,
    target: prepared.target,
  };
  const limits = definition.governed ? await readLimits(tx, limited, now) : { allowances: [], refusal: null };
  const effects = dependsOn.length === 0 ? [] : await findEffects(tx, dependsOn);
  const awaited = dependsOn.flatMap((effectId) =>
    effects.flatMap((one) => (one.id === effectId ? { ...one, effectId } : [])),
  );
  const facts: Facts = {
    ...NOTHING_KNOWN,
    action: { name: action.name, isArchived: action.archivedAt !== null },
    request: prepared.kind === 'refused' ? prepared.refusal : null,
    provider: observation?.refusal ?? null,
    impact: declared,
    verdict,
    missingSecrets: names.filter((name) => secretVersions[name] === 0),
    dependencies: judgedDependencies(awaited),
    limits: limits.refusal,
    // Read last: a halt waits for its readers.
    halt: (await readHalt(tx))?.reason ?? null,
  };
  return { facts, prepared, impact, limits, secretVersions, policies };
}

async function judgedByPolicies(
  tx: EnvironmentTransaction,
  { action, input, actor, agentId, runId }: AskedNow,
  impact: readonly ImpactQuantity[] | null,
  now: Date,
): Promise<{ policies: FactsNow['policies']; verdict: PolicyVerdict | null }> {
  const keyId = actor.type === 'api_key' ? actor.id : null;
  const { environment, keyName } = await readEvaluationContext(tx, keyId);
  const policies = compiledOrEnd(await findPolicySet(tx));
  if (impact === null) return { policies, verdict: null };
  if (policies.set.policies.length > 0) await policyTurns.take(environment.id);
  const type = keyId === null ? ('user' as const) : ('api_key' as const);
  const subject = {
    action: { id: action.id, name: action.name, versionId: action.currentVersion.id },
    definition: action.definition,
    input,
    impact,
    environment,
    caller: { type, id: actor.id, name: keyName, agentId },
    runId,
    now,
  };
  return { policies, verdict: evaluatePolicies(policies.set, policyFactsOf(subject), policyDefaultsOf(subject)) };
}

/**
 * Refuses an archived action before its input is checked. A halt precedes it and is then the invocation's refusal.
 *
 * @throws {ServiceError} NOT_FOUND when only the archive stands against it.
 */
export async function requireLive(
  tx: EnvironmentTransaction,
  { name, archivedAt }: ActionRecord,
  verb: 'Invoke' | 'Preview',
): Promise<void> {
  if (archivedAt === null) return;
  const halt = await readHalt(tx);
  const refusal = refusalBy({ halt: halt?.reason ?? null, action: { name, isArchived: true } });
  if (refusal?.code !== 'action_disabled') return;
  throw new ServiceError('NOT_FOUND', { message: `Action ${name} is archived. ${verb} a live one.` });
}
