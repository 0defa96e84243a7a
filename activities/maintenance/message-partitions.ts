import {
  deleteKeptMessages,
  dropOldMessagePartition,
  keepLiveMessages,
  makeMessagePartitions,
} from '../../db/messages/keep-partitions.ts';
import { deleteOldDeadLetters } from '../../db/dead-letters/delete-old-dead-letters.ts';
import type { SweepDependencies, Swept } from './sweep-rows.ts';
import { CALLS_MAX, untilNone } from './until-none.ts';

/**
 * Makes the partitions of messages for later, and lets old ones go: docs/retention.md. A step that fails is Temporal's to repeat;
 * each may run again after a crash anywhere.
 */
export async function sweepMessagePartitions(deps: SweepDependencies): Promise<Swept> {
  const made = await makeMessagePartitions(deps.db);
  const kept = await untilNone(() => keepLiveMessages(deps.db));
  let dropped = 0;
  for (; dropped < CALLS_MAX; dropped++) {
    const partition = await dropOldMessagePartition(deps.db);
    if (partition === null) break;
    deps.logger.info({ partition }, 'a partition of messages had its time and is dropped');
  }
  const deleted = await untilNone(() => deleteKeptMessages(deps.db));
  const deadLetters = await untilNone(() => deleteOldDeadLetters(deps.db));
  return { seen: made + kept + dropped + deleted + deadLetters, failed: 0 };
}
