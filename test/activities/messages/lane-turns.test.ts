import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LaneTurns, type Left } from '../../../activities/messages/lane-turns.ts';
import type { Tenant } from '../../../db/client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const of = (environmentId: string, workspaceId = 'w'): Tenant => ({ workspaceId, environmentId });
const NOTHING: Left = { isFull: false, isLeft: false, isMore: false, nextInMs: null, lastLane: '' };
const idsOf = (tenants: readonly (Tenant | null)[]) => tenants.map((tenant) => tenant?.environmentId ?? null);

describe('the turns of environments', () => {
  test('come in order, each once, and one claim of each at a time', () => {
    const turns = new LaneTurns();
    for (const id of ['a', 'b', 'a']) turns.add(of(id));
    expect(idsOf([turns.next(), turns.next(), turns.next()])).toEqual(['a', 'b', null]);
    for (const id of ['a', 'c']) turns.add(of(id));
    expect(idsOf([turns.next(), turns.next()])).toEqual(['c', null]); // a claim of `a` is under way
    turns.end(of('a'));
    expect(idsOf([turns.next(), turns.next()])).toEqual(['a', null]);
  });

  test.each<Partial<Left>>([{ isFull: true }, { isMore: true, isLeft: true }])(
    'a claim that leaves what it could have taken asks for another turn, behind those who wait: %o',
    (left) => {
      const turns = new LaneTurns();
      for (const id of ['a', 'b']) turns.add(of(id));
      turns.next();
      turns.note(of('a'), { ...NOTHING, ...left, lastLane: 'fck_2' }, () => undefined);
      turns.end(of('a'));
      expect(idsOf([turns.next(), turns.next()])).toEqual(['b', 'a']);
      expect([turns.laneOf(of('a')), turns.laneOf(of('b'))]).toEqual(['fck_2', '']);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  // What a limit holds back may be freed by another process, whose ends are not heard here.
  test.each<[string, Partial<Left>, number | null]>([
    ['nothing is left', {}, null],
    ['a limit holds messages back', { isLeft: true }, 100],
    ['a window ends before that', { isLeft: true, nextInMs: 90 }, 90],
    ['a window ends after that', { isLeft: true, nextInMs: 9_000 }, 100],
    ['only time lets the next one through', { nextInMs: 9_000 }, 9_000],
    ['it is due at this moment', { nextInMs: 0 }, 1],
    ['it is due next month', { nextInMs: 3e9 }, 60_000],
  ])('looks again by itself: %s', (_what, left, afterMs) => {
    const turns = new LaneTurns();
    const wake = vi.fn<() => void>();
    turns.note(of('a'), { ...NOTHING, ...left }, wake);
    vi.advanceTimersByTime((afterMs ?? 1_000_000) - 1);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(afterMs === null ? 0 : 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the end of a delivery finds the environments of its workspace that a limit held back, once', () => {
    const turns = new LaneTurns();
    for (const tenant of [of('a'), of('b'), of('c', 'another')])
      turns.note(tenant, { ...NOTHING, isLeft: true }, () => undefined);
    turns.note(of('d'), NOTHING, () => undefined);
    expect(idsOf(turns.waitingFor('w'))).toEqual(['a', 'b']);
    expect(turns.waitingFor('w')).toEqual([]);
    expect(idsOf(turns.waitingFor('another'))).toEqual(['c']);
  });

  test('end with the process: no timer and no turn is left', () => {
    const turns = new LaneTurns();
    turns.later(of('a'), 1_000, () => undefined);
    turns.add(of('b'));
    turns.close();
    expect([vi.getTimerCount(), turns.next()]).toEqual([0, null]);
  });

  test('plan one look of an environment: what the last claim found replaces what an earlier one did', () => {
    const turns = new LaneTurns();
    const [earlier, last] = [vi.fn<() => void>(), vi.fn<() => void>()];
    turns.later(of('a'), 100, earlier);
    turns.later(of('a'), 5_000, last);
    vi.advanceTimersByTime(5_000);
    expect([earlier.mock.calls.length, last.mock.calls.length]).toEqual([0, 1]);
  });
});
