import { describe, expect, test } from 'vitest';
import { INVOCATION_STATUSES, isAtRest, isOpen, type Progress } from '../../domain/lifecycle.ts';

describe('an invocation', () => {
  const rows: [Progress['status'], Progress['stage'], boolean, { rests: boolean; open: boolean }][] = [
    ['queued', null, false, { rests: false, open: true }],
    ['queued', 'ready', false, { rests: false, open: true }],
    ['queued', 'ready', true, { rests: true, open: true }],
    ['pending_approval', 'awaiting_approval', false, { rests: true, open: true }],
    ['dispatching', 'dispatching', false, { rests: false, open: true }],
    // Its wait is over.
    ['dispatching', 'dispatching', true, { rests: false, open: true }],
    // The provider is still processing it.
    ['dispatching', 'reconciling', false, { rests: true, open: true }],
    ['unknown', 'reconciling', false, { rests: true, open: false }],
    ['succeeded', 'settled', false, { rests: true, open: false }],
    ['failed', 'settled', false, { rests: true, open: false }],
    ['refused', 'rejected', false, { rests: true, open: false }],
    ['denied', 'rejected', false, { rests: true, open: false }],
    ['expired', 'rejected', false, { rests: true, open: false }],
    ['cancelled', 'rejected', false, { rests: true, open: false }],
  ];

  test.each(rows)('%s, %s, waits for others %s: %o', (status, stage, awaitsDependencies, { rests, open }) => {
    expect(isAtRest({ status, stage, awaitsDependencies })).toBe(rests);
    expect(isOpen(status)).toBe(open);
  });

  test('every status has a row', () => {
    expect(new Set(rows.map(([status]) => status))).toEqual(new Set(INVOCATION_STATUSES));
  });
});
