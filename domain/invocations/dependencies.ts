import type { Outcome, Stage } from '../lifecycle.ts';
import type { Dependencies } from './judgement.ts';

export interface Dependency {
  effectId: string;
  stage: Stage;
  outcome: Outcome;
}

/** Why a wait for dependencies is over although not all of them are settled. */
export type GivenUp = 'time_over' | 'cancelled';

const WHY: Record<GivenUp, string> = {
  time_over: 'it was waited for 24 hours and is not settled',
  cancelled: 'the invocation was cancelled while it waited',
};

/**
 * Whether all dependencies succeeded. Any other end, or a wait that was given up, refuses. A later reversal does not.
 */
export function judgedDependencies(all: readonly Dependency[], givenUp: GivenUp | null = null): Dependencies {
  const open = all.filter(({ outcome }) => outcome !== 'succeeded');
  const ended = open.find(({ stage }) => stage === 'settled' || stage === 'rejected');
  if (ended) return refused(ended, `it ${ended.stage === 'rejected' ? 'was rejected' : `has ${ended.outcome}`}`);
  if (open[0] && givenUp) return refused(open[0], WHY[givenUp]);
  return { awaited: open.map(({ effectId }) => effectId), refusal: null };
}

function refused({ effectId }: Dependency, why: string): Dependencies {
  const message = `depends on ${effectId}: ${why}`;
  return { awaited: [], refusal: { code: 'dependency_unsettled', message, details: { effectId } } };
}
