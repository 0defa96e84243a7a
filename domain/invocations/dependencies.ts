import type { Outcome, Stage } from '../lifecycle.ts';
import type { Dependencies } from './judgement.ts';

export interface Dependency {
  effectId: string;
  stage: Stage;
  outcome: Outcome;
}

/** Why a wait for dependencies is over although not all of them are settled. */
export type GivenUp = 'time_over' | 'cancelled';

/**
 * Whether all dependencies succeeded. Any other end, or a wait that was given up, refuses; a cancellation ends as `cancelled`. A later reversal
 * does not.
 */
export function judgedDependencies(all: readonly Dependency[], givenUp: GivenUp | null = null): Dependencies {
  const open = all.filter(({ outcome }) => outcome !== 'succeeded');
  if (open[0] && givenUp === 'cancelled') return cancelled(open[0]);
  const ended = open.find(({ stage }) => stage === 'settled' || stage === 'rejected');
  if (ended) return refused(ended, `it ${ended.stage === 'rejected' ? 'was rejected' : `has ${ended.outcome}`}`);
  if (open[0] && givenUp === 'time_over') return refused(open[0], 'it was waited for 24 hours and is not settled');
  return { awaited: open.map(({ effectId }) => effectId), refusal: null };
}

/**
 * What a cancelled run leaves of its invocation: one that waits, or has waited for effects or for people, is not sent, although what it waited
 * for came about since. One that had nothing to wait for goes on.
 */
export function withdrawnWithRun(
  all: readonly Dependency[],
  hasWaited: boolean,
  approvalId: string | null,
): Dependencies {
  const judged = judgedDependencies(all, 'cancelled');
  if (judged.refusal !== null || !hasWaited) return judged;
  if (approvalId === null) return all[0] ? cancelled(all[0]) : judged;
  const message = `cancelled while it waited for approval ${approvalId}`;
  return { awaited: [], refusal: { code: 'approval_cancelled', message, details: { approvalId } } };
}

function refused({ effectId }: Dependency, why: string): Dependencies {
  const message = `depends on ${effectId}: ${why}`;
  return { awaited: [], refusal: { code: 'dependency_unsettled', message, details: { effectId } } };
}

function cancelled({ effectId }: Dependency): Dependencies {
  const message = `cancelled while it waited for ${effectId}`;
  return { awaited: [], refusal: { code: 'invocation_cancelled', message, details: { effectId } } };
}
