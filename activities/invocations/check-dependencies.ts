import { awaitDependencies } from '../../db/invocations/await-dependencies.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findDependencies, type Dependency } from '../../db/effects/find-dependencies.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import type { Refusal } from '../../domain/refusals.ts';

/** Why a wait for dependencies is over although not all of them are settled. */
export type GivenUp = 'time_over' | 'cancelled';

const WHY: Record<GivenUp, string> = {
  time_over: 'it was waited for 24 hours and is not settled',
  cancelled: 'the invocation was cancelled while it waited',
};

export type Dependencies =
  | { state: 'settled' }
  /** For these effects. */
  | { state: 'waiting'; effectIds: string[] }
  | { state: 'refused'; refusal: Refusal };

/**
 * Checks whether every dependency of an invocation has succeeded. Any other end of a dependency is final and refuses the
 * invocation, as does a wait that was given up. (A dependency that its provider reverses later counted as succeeded then.)
 */
export async function checkDependencies(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'hasDependencies'>,
  givenUp: GivenUp | null,
): Promise<Dependencies> {
  if (!work.hasDependencies) return { state: 'settled' };
  const open = (await findDependencies(tx, work.id)).filter(({ outcome }) => outcome !== 'succeeded');
  const ended = open.find(({ stage }) => stage === 'settled' || stage === 'rejected');
  if (ended) return refused(ended, `it ${ended.stage === 'rejected' ? 'was rejected' : `has ${ended.outcome}`}`);
  const [first] = open;
  if (!first) return { state: 'settled' };
  if (givenUp) return refused(first, WHY[givenUp]);
  await awaitDependencies(tx, work.id);
  return { state: 'waiting', effectIds: open.map(({ effectId }) => effectId) };
}

function refused({ effectId }: Dependency, why: string): Dependencies {
  const refusal: Refusal = {
    code: 'dependency_unsettled',
    message: `depends on ${effectId}: ${why}`,
    details: { effectId },
  };
  return { state: 'refused', refusal };
}
