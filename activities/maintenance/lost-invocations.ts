import {
  findUnsettledInvocations,
  LOOKED_AT_MAX,
  type UnsettledInvocation,
} from '../../db/invocations/find-unsettled-invocations.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Restarts invocations that were admitted a while ago and have not come to rest: an API process may have died between its
 * commit and its start, or an operator terminated the workflow. A running workflow is left as it is. One that is started a
 * second time finds the fence and sends nothing. Where more than LOOKED_AT_MAX wait, each sweep looks at the newest and at a part of the others.
 */
export function lostInvocations(
  olderThanSeconds = LOST_AFTER_SECONDS,
): SweepArea<UnsettledInvocation, 'startInvocation'> {
  return {
    find: (deps) => findUnsettledInvocations(deps.db, { olderThanSeconds, most: LOOKED_AT_MAX }),
    idOf: (ref) => ref.invocationId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.startInvocation(ref))),
    batchSize: 1,
    atOnce: 10,
    isOneLook: true,
  };
}
