import type { ActionRecord } from '../../db/actions/records.ts';
import type { EvaluationContext } from '../../db/approval-policies/evaluation.ts';
import { evaluatePolicies, type PolicySet } from '../../domain/approval-policies/evaluate-policies.ts';
import { policyDefaultsOf, policyFactsOf, type PolicySubject } from '../../domain/approval-policies/facts.ts';
import { policyTurns } from '../../domain/approval-policies/policy-turns.ts';
import type { PolicyTrace, PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import type { ImpactQuantity } from '../../domain/actions.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Fixture, FixtureResult } from './fixture-schemas.ts';
import { presentDecision, presentTrace } from './verdict-schema.ts';

/** Total time of one request's fixtures. Each evaluation has its own bound; this one stops five hundred hostile ones. */
export const FIXTURES_TIME_MS = 10_000;
const TRACE_SHOWN_MAX = 20;
/** Value of a member that a fixture leaves out and no policy should depend on. */
const STAND_IN_KEY = 'key_fixture';

export interface FixtureWorld {
  set: PolicySet;
  context: EvaluationContext;
  actions: ReadonlyMap<string, ActionRecord>;
  /** By the action's declaration. Throws a ServiceError when the input is refused. */
  impactOf(action: ActionRecord, input: JsonObject): Promise<ImpactQuantity[]>;
}

/** Evaluates each fixture without executing anything. Yields to other requests between fixtures. */
export async function runFixtures(
  world: FixtureWorld,
  fixtures: readonly Fixture[],
  timeMs = FIXTURES_TIME_MS,
): Promise<FixtureResult[]> {
  const results: FixtureResult[] = [];
  let spentMs = 0; // without the turns of others between two fixtures
  for (const fixture of fixtures) {
    await policyTurns.take(world.context.environment.id);
    if (spentMs >= timeMs) {
      results.push(notEvaluated(fixture, 'the fixtures before it took all the time that a request has'));
      continue;
    }
    const startedAt = performance.now();
    results.push(await run(world, fixture));
    spentMs += performance.now() - startedAt;
  }
  return results;
}

async function run(world: FixtureWorld, fixture: Fixture): Promise<FixtureResult> {
  const subject = await subjectOf(world, fixture.request);
  if (typeof subject === 'string') return notEvaluated(fixture, subject);
  const verdict = evaluatePolicies(world.set, policyFactsOf(subject), policyDefaultsOf(subject));
  const policy = verdict.trace.find(({ policyId }) => policyId === verdict.policyId)?.policyName ?? null;
  const problems = problemsOf(fixture.expect, verdict, policy);
  const { policyId: _id, version: _version, ...decision } = presentDecision(verdict);
  const shown = shownTrace(verdict.trace);
  return {
    name: fixture.name,
    passed: problems.length === 0,
    problems,
    expected: fixture.expect,
    actual: { ...decision, policy },
    trace: shown.map((entry) => ({ ...presentTrace(entry), policyId: null, version: null })),
    traceOmitted: verdict.trace.length - shown.length,
  };
}

/** Returns the policies' subject, or the reason why there is none. */
async function subjectOf(world: FixtureWorld, request: Fixture['request']): Promise<PolicySubject | string> {
  const { context, actions } = world;
  const facts = {
    input: request.input as JsonObject,
    environment: { ...context.environment, ...definedMembers(request.environment ?? {}) },
    caller: {
      type: 'api_key',
      id: request.keyId ?? STAND_IN_KEY,
      name: request.keyName ?? null,
      agentId: request.agentId ?? null,
    },
    runId: request.runId ?? null,
    now: request.now === undefined ? new Date() : new Date(request.now),
  } as const;
  const given = request.impact?.map(({ currency, ...quantity }) => ({
    ...quantity,
    ...(currency === undefined ? {} : { currency }),
  }));
  if (typeof request.action !== 'string') {
    const { name, adapter = 'http.request', governed = false, tag = null, approvalRequired = false } = request.action;
    return {
      ...facts,
      action: { id: 'act_fixture', name, versionId: 'ver_fixture' },
      definition: {
        adapter: { type: adapter, version: '1', config: {} },
        inputSchema: {},
        governed,
        approval: { required: approvalRequired, tag },
      },
      impact: given ?? [],
    };
  }
  const action = actions.get(request.action);
  if (action === undefined) {
    return `no live action of this environment is called ${request.action}: create it, or describe it in the fixture`;
  }
  const impact = given ?? (await impactOrRefusal(world, action, facts.input));
  if (typeof impact === 'string') return impact;
  return {
    ...facts,
    action: { id: action.id, name: action.name, versionId: action.currentVersion.id },
    definition: action.definition,
    impact,
  };
}

async function impactOrRefusal(
  world: FixtureWorld,
  action: ActionRecord,
  input: JsonObject,
): Promise<ImpactQuantity[] | string> {
  try {
    return await world.impactOf(action, input);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `an invocation with this input would be refused: ${error.publicMessage}`;
  }
}

function problemsOf(expected: Fixture['expect'], verdict: PolicyVerdict, policy: string | null): string[] {
  const quorum = verdict.terms?.quorum ?? null;
  type Value = string | number | null;
  const compared: [what: string, wanted: Value | undefined, found: Value][] = [
    ['effect', expected.effect, verdict.effect],
    ['policy', expected.policy, policy],
    ['ruleId', expected.ruleId, verdict.ruleId],
    ['quorum', expected.quorum, quorum],
  ];
  return compared
    .filter(([, wanted, found]) => wanted !== undefined && wanted !== found)
    .map(([what, wanted, found]) => `${what} is ${found ?? 'none'}, and ${wanted ?? 'none'} was expected`);
}

/** Rules whose `match` held come first: they say most. */
function shownTrace(trace: readonly PolicyTrace[]): PolicyTrace[] {
  const told = trace.filter(({ outcome }) => outcome !== 'not_matched');
  const silent = trace.filter(({ outcome }) => outcome === 'not_matched');
  return [...told, ...silent].slice(0, TRACE_SHOWN_MAX);
}

function notEvaluated({ name, expect: expected }: Fixture, why: string): FixtureResult {
  return {
    name,
    passed: false,
    problems: [`not evaluated: ${why}`],
    expected,
    actual: null,
    trace: [],
    traceOmitted: 0,
  };
}

function definedMembers<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
