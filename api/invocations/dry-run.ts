import { getAction } from '../../db/actions/queries.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { withCompiledPolicies } from '../../domain/approval-policies/with-compiled-policies.ts';
import { newId } from '../../domain/ids.ts';
import { judge } from '../../domain/invocations/judgement.ts';
import { missingAction } from '../http/failures.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { withInputAnswers } from '../json-schema/input-answers.ts';
import { takeInput } from '../actions/attach-files.ts';
import type { DryRun, DryRunRequest } from './dry-run-schema.ts';
import { readFactsNow, requireLive } from '../previews/facts-now.ts';

type Asking = Pick<EnvironmentHandlerContext<unknown, unknown, unknown>, 'deps' | 'caller' | 'actor' | 'transaction'>;

/**
 * What an invocation with this input would do now, for plain actions too. Writes, reserves, opens, starts and reads nothing outside the
 * database.
 *
 * @throws {ServiceError} NOT_FOUND, and VALIDATION_ERROR when the input does not fit or render, as for an invocation.
 */
export async function dryRun({ deps, caller, actor, transaction }: Asking, request: DryRunRequest): Promise<DryRun> {
  const { ref, operationKey, agentId, runId } = request;
  const { action, known } = await withCompiledPolicies(() =>
    withInputAnswers(deps.schemas, caller.tenant.workspaceId, (answers) =>
      transaction(async (tx) => {
        const found = await getAction(tx, ref);
        if (!found) throw await missingAction(tx, ref);
        await requireLive(tx, found, 'Invoke');
        const { input } = await takeInput(tx, found, request.input, { answers, credential: caller });
        const { adapter, governed } = found.definition;
        const descriptor = adapterDescriptor(adapter.type, adapter.version);
        const invocationId = newId('invocation');
        const effectId = governed ? newId('effect') : invocationId;
        const identity = { invocationId, effectId, operationKey: operationKey ?? invocationId };
        const asked = { action: found, descriptor, input, identity, actor, agentId, runId, observation: null };
        return { action: found, known: await readFactsNow(tx, asked, new Date()) };
      }),
    ),
  );
  const { facts, prepared, impact, limits } = known;
  const judgement = judge(facts);
  const refusal = judgement.next === 'refuse' ? judgement.refusal : null;
  const verdict = judgement.next === 'read_provider' ? null : judgement.verdict;
  return {
    dryRun: true,
    action: { id: action.id, name: action.name },
    versionId: action.currentVersion.id,
    governed: action.definition.governed,
    request: prepared.request,
    target: prepared.target,
    next: nextOf(judgement.next),
    refusal: refusal === null ? null : { code: refusal.code, message: refusal.message },
    impact: impact === null ? null : [...impact],
    decision:
      verdict === null
        ? null
        : { effect: verdict.effect, source: verdict.source, quorum: verdict.terms?.quorum ?? null },
    allowances: limits.allowances,
  };
}

function nextOf(next: ReturnType<typeof judge>['next']): DryRun['next'] {
  if (next === 'wait_for_effects') throw new Error('a dry run depends on no effect');
  return next;
}
