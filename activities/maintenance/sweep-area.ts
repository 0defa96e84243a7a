import { deleteExpiredCacheEntries } from '../../db/cache/directory.ts';
import { foldStoredState } from '../../db/plans/directory.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { ANALYTICS_STEPS } from './analytics.ts';
import { alertTargets, unclosedMonths, USAGE_INVARIANT_STEPS, usageThresholds } from './billing.ts';
import { dueFiles } from './due-files.ts';
import {
  endedOAuthGrants,
  EXPIRED_CHAT_STEPS,
  expiredDeduplications,
  expiredIdempotencyClaims,
  expiredOAuthArtifacts,
  expiredPlaces,
  expiredSessions,
  expiredSignInThrottles,
  OLD_EVENT_STEPS,
  oldApprovals,
  oldNotifications,
  oldPreviews,
  unusedOAuthClients,
} from './expired-rows.ts';
import { expiredMemories } from './memories.ts';
import { OLD_MESSAGE_STEPS } from './old-messages.ts';
import { RUN_PARTITION_STEPS } from './run-partitions.ts';
import { type SweepArea, type Swept, sweepRows } from './sweep-rows.ts';
import { type SweepStep, sweepSteps } from './sweep-steps.ts';
import { uncancelledInvocations } from './uncancelled-invocations.ts';
import { unsettledAnswers } from './unsettled-answers.ts';
import { untilNone } from './until-none.ts';
import { workflowStarts } from './workflow-starts.ts';

/** The areas of one minute's sweep. The log and the workflow's result show their names. */
const AREAS: ReadonlyMap<string, (deps: ActivityDependencies, name: string) => Promise<Swept>> = new Map([
  ['workflow-starts', sweeping(workflowStarts)],
  ['expired-memories', sweeping(expiredMemories)],
  ['uncancelled-invocations', sweeping(uncancelledInvocations())],
  ['unsettled-answers', sweeping(unsettledAnswers)],
  ['expired-idempotency-claims', sweeping(expiredIdempotencyClaims)],
  ['expired-deduplications', sweeping(expiredDeduplications)],
  ['expired-sessions', sweeping(expiredSessions)],
  ['expired-sign-in-throttles', sweeping(expiredSignInThrottles)],
  ['expired-oauth-artifacts', sweeping(expiredOAuthArtifacts)],
  ['unused-oauth-clients', sweeping(unusedOAuthClients)],
  ['ended-oauth-grants', sweeping(endedOAuthGrants)],
  ['old-previews', sweeping(oldPreviews)],
  ['old-approvals', sweeping(oldApprovals)],
  ['old-notifications', sweeping(oldNotifications)],
  ['due-files', sweeping(dueFiles)],
  ['expired-places', sweeping(expiredPlaces)],
  ['run-partitions', stepping(RUN_PARTITION_STEPS)],
  ['analytics', stepping(ANALYTICS_STEPS)],
  ['stored-state', stepping({ fold: ({ db }, budget) => untilNone(budget, () => foldStoredState(db)) })],
  ['old-messages', stepping(OLD_MESSAGE_STEPS)],
  ['old-events', stepping(OLD_EVENT_STEPS)],
  ['expired-chat-rows', stepping(EXPIRED_CHAT_STEPS)],
  ['expired-cache', stepping({ delete: ({ db }, budget) => untilNone(budget, () => deleteExpiredCacheEntries(db)) })],
  ['unclosed-months', sweeping(unclosedMonths)],
  ['usage-thresholds', sweeping(usageThresholds)],
  ['alert-targets', sweeping(alertTargets)],
  ['usage-invariants', stepping(USAGE_INVARIANT_STEPS)],
]);

function sweeping<Row, Needs extends keyof ActivityDependencies>(area: SweepArea<Row, Needs>) {
  return (deps: ActivityDependencies, name: string): Promise<Swept> => sweepRows(deps, name, area);
}

function stepping<Needs extends keyof ActivityDependencies = never>(steps: Readonly<Record<string, SweepStep<Needs>>>) {
  return (deps: ActivityDependencies, name: string): Promise<Swept> => sweepSteps(deps, name, steps);
}

/** The running worker supplies the names, so a new area changes neither the workflow nor its histories. */
export function listSweepAreas() {
  return (): Promise<string[]> => Promise.resolve([...AREAS.keys()]);
}

/**
 * Sweeps one area, within its budget. Throws if its rows cannot be found: Temporal retries it, and no other area is affected. The
 * heartbeats reveal a dead worker soon, because no sweep of any area begins until this area is done or given up.
 */
export function sweepArea(deps: ActivityDependencies) {
  return async (name: string): Promise<Swept> => {
    const sweep = AREAS.get(name);
    // A worker of another version listed this area. It still runs or has just stopped.
    if (sweep === undefined) throw new Error(`this worker knows no area ${name} of the sweep`);
    const swept = await withHeartbeats(deps, () => sweep(deps, name)).catch((error: unknown) => {
      deps.metrics.add('agent_actions_sweep_failures_total', { area: name }, 1);
      throw error;
    });
    deps.metrics.add('agent_actions_sweep_failures_total', { area: name }, swept.failed);
    deps.metrics.set('agent_actions_sweep_finished_timestamp_seconds', { area: name }, Date.now() / 1_000);
    if (swept.failed > 0) deps.logger.error({ area: name, ...swept }, 'the sweep left rows that it could not mend');
    return swept;
  };
}
