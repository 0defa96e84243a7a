import { expect, test } from 'vitest';
import { newEpochOf, type SeenEpoch } from '../../../domain/epochs/recovery.ts';

const SEEN: SeenEpoch = {
  systemIdentifier: '7',
  timeline: 1,
  logPosition: 1_000n,
  isSynchronous: true,
  isKnown: true,
};
const PROMOTED: SeenEpoch = { ...SEEN, timeline: 2, logPosition: 1_200n, isKnown: false };
const LOST = { asked: null, nothingLost: false };

test.each<[string, SeenEpoch, SeenEpoch | null, boolean, ReturnType<typeof newEpochOf>]>([
  ['the same epoch goes on', { ...SEEN, logPosition: 1_001n }, SEEN, true, null],
  ['an idle server goes on', SEEN, SEEN, true, null],
  ['so does it at the start of a process', SEEN, null, true, null],
  ['a promotion of a synchronous standby lost nothing', PROMOTED, SEEN, true, { asked: null, nothingLost: true }],
  ['where nobody requires it, it may have', PROMOTED, SEEN, false, LOST],
  ['and where commits waited for no standby', PROMOTED, { ...SEEN, isSynchronous: false }, true, LOST],
  ['and where this process saw nothing before: it may be a restore', PROMOTED, null, true, LOST],
  [
    'and where the log is behind: a restore under a running process',
    { ...PROMOTED, logPosition: 900n },
    SEEN,
    true,
    LOST,
  ],
  ['another cluster is another history', { ...PROMOTED, systemIdentifier: '8' }, SEEN, true, LOST],
  [
    'a log that is behind on the same timeline is a copy of the disks',
    { ...SEEN, logPosition: 999n },
    SEEN,
    true,
    { asked: 'log_position', nothingLost: false },
  ],
  [
    'it is none of another cluster that is known',
    { ...SEEN, systemIdentifier: '8', logPosition: 1n },
    SEEN,
    true,
    null,
  ],
  ['nor of another timeline that is known', { ...SEEN, timeline: 2, logPosition: 1n }, SEEN, true, null],
])('%s', (_, seen, before, requireSyncStandby, expected) => {
  expect(newEpochOf(seen, before, requireSyncStandby)).toEqual(expected);
});
