import { batchesOf } from '../../domain/batches-of.ts';
import type { FollowUp, RelayDependencies } from '../relay-consumer.ts';

/** Temporal takes this many starts at once without a queue of its own. */
const AT_ONCE = 20;

/**
 * Starts the work after a round of the relay, in turns of one of each environment. If nothing of a batch starts,
 * Temporal is away: the sweep does the rest, and the relay goes on with what needs only PostgreSQL.
 */
export async function startFollowUps(
  deps: RelayDependencies,
  ofEnvironments: readonly (readonly FollowUp[])[],
): Promise<void> {
  const followUps = inTurn(ofEnvironments);
  let left = followUps.length;
  for (const batch of batchesOf(followUps, AT_ONCE)) {
    const started = await Promise.all(batch.map((followUp) => start(deps, followUp)));
    left -= batch.length;
    if (started.includes(true) || left === 0) continue;
    deps.logger.warn({ left }, 'Temporal is away: the sweep starts what else follows these platform events');
    return;
  }
}

async function start(deps: RelayDependencies, followUp: FollowUp): Promise<boolean> {
  try {
    await followUp.start(deps);
    return true;
  } catch (error) {
    const context = { ...followUp.ids, err: error };
    deps.logger.warn(context, 'what follows a platform event was not started: the sweep starts it');
    return false;
  }
}

function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat();
}
