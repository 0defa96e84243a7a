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

function refused({ effectId }: Dependency, why: string): Dependencies {
  const message = `depends on ${effectId}: ${why}`;
  return { awaited: [], refusal: { code: 'dependency_unsettled', message, details: { effectId } } };
}

function cancelled({ effectId }: Dependency): Dependencies {
  const message = `cancelled while it waited for ${effectId}`;
  return { awaited: [], refusal: { code: 'invocation_cancelled', message, details: { effectId } } };
}
