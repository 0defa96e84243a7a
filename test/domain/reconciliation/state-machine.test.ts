import { describe, expect, test } from 'vitest';
import { PENDING_READS_MAX, UNKNOWN_READ_TIMES_MS } from '../../../domain/reconciliation/schedule.ts';
import {
  after,
  BEFORE_THE_FIRST_LOOK,
  isWoken,
  nextStep,
  type Reconciliation,
  type ReconciliationEvent,
  type ReconciliationStep,
} from '../../../domain/reconciliation/state-machine.ts';
import type { InvocationState } from '../../../domain/refs.ts';

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const unknown: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId: 'eff_1' };
const pending: InvocationState = { ...unknown, status: 'dispatching', grade: 'pending' };
const settled: InvocationState = { ...unknown, status: 'succeeded', grade: 'confirmed', stage: 'settled' };

type Begun = Extract<ReconciliationEvent, { type: 'begun' }>;
const begun = (invocation: InvocationState, progress: Partial<Begun> = {}): Begun => ({
  type: 'begun',
  invocation,
  isExhausted: false,
  unknownForMs: 0,
  dispatchedForMs: 0,
  atMs: NOW_MS,
  ...progress,
});
const looked = (invocation: InvocationState): ReconciliationEvent => ({ type: 'looked', invocation });
const read = (invocation: InvocationState, answers = 0): ReconciliationEvent => ({ type: 'read', invocation, answers });
const [asked, changed, waitOver, givenUp, ending] = (
  ['read_asked', 'record_changed', 'wait_over', 'given_up', 'ending'] as const
).map((type): ReconciliationEvent => ({ type })) as [
  ReconciliationEvent,
  ReconciliationEvent,
  ReconciliationEvent,
  ReconciliationEvent,
  ReconciliationEvent,
];

const stateAfter = (events: readonly ReconciliationEvent[]): Reconciliation =>
  events.reduce(after, BEFORE_THE_FIRST_LOOK);
const stepAfter = (events: readonly ReconciliationEvent[]): ReconciliationStep =>
  nextStep(stateAfter(events), NOW_MS, () => 0.5);

const wait = (delayMs: number): ReconciliationStep => ({ next: 'wait', delayMs });
const reading = (answers = 0): ReconciliationStep => ({ next: 'read', answers });
const end = (invocation: InvocationState): ReconciliationStep => ({ next: 'end', invocation });
const giveUp = (scheduledReads: number): ReconciliationStep => ({ next: 'give_up', scheduledReads });
const look: ReconciliationStep = { next: 'look' };
const exhausted = begun(unknown, { isExhausted: true });

const ROWS: { name: string; events: ReconciliationEvent[]; step: ReconciliationStep }[] = [
  { name: 'nothing has happened', events: [], step: { next: 'begin' } },
  { name: 'asked and told before the first look', events: [asked, changed], step: { next: 'begin' } },
  { name: 'settled at the first look', events: [begun(settled)], step: end(settled) },
  { name: 'settled, though a read was asked for', events: [asked, begun(settled)], step: end(settled) },
  { name: 'unknown', events: [begun(unknown)], step: wait(5_000) },
  { name: 'pending', events: [begun(pending)], step: wait(DAY_MS) },
  { name: 'unknown for three hours', events: [begun(unknown, { unknownForMs: 3 * HOUR_MS })], step: wait(HOUR_MS) },
  { name: 'unknown for nine days', events: [begun(unknown, { unknownForMs: 9 * DAY_MS })], step: wait(0) },
  { name: 'the time is over', events: [begun(unknown), waitOver], step: reading() },
  { name: 'a read said nothing', events: [begun(unknown), waitOver, read(unknown)], step: wait(30_000) },
  { name: 'a read settled it', events: [begun(unknown), waitOver, read(settled)], step: end(settled) },
  { name: 'a read was asked for', events: [begun(unknown), asked], step: reading(1) },
  { name: 'it was answered, and takes nothing', events: [begun(unknown), asked, read(unknown, 1)], step: wait(5_000) },
  { name: 'asked again during the read', events: [begun(unknown), asked, asked, read(unknown, 1)], step: reading(2) },
  { name: 'the record changed', events: [begun(unknown), changed], step: look },
  { name: 'it changed during a read', events: [begun(unknown), waitOver, changed, read(unknown)], step: look },
  { name: 'a look comes before a read', events: [begun(unknown), waitOver, asked, changed], step: look },
  { name: 'the read is still due', events: [begun(unknown), waitOver, changed, looked(unknown)], step: reading() },
  { name: 'a look found nothing', events: [begun(unknown), changed, looked(unknown)], step: wait(5_000) },
  { name: 'a look found it settled', events: [begun(unknown), changed, looked(settled)], step: end(settled) },
  { name: 'exhausted on record', events: [exhausted], step: giveUp(0) },
  { name: 'exhausted, but asked', events: [asked, exhausted], step: reading(1) },
  { name: 'given up', events: [exhausted, givenUp], step: end(unknown) },
  { name: 'asked while it gave up', events: [exhausted, asked, givenUp], step: reading(1) },
  { name: 'told while it gave up', events: [exhausted, changed, givenUp], step: look },
  { name: 'a read after it gave up', events: [exhausted, givenUp, asked, read(unknown, 1)], step: end(unknown) },
  { name: 'pending after it gave up', events: [exhausted, givenUp, changed, looked(pending)], step: wait(DAY_MS) },
  { name: 'read as pending, exhausted', events: [asked, exhausted, read(pending, 1)], step: wait(DAY_MS) },
  {
    name: 'pending as before, given up',
    events: [begun(pending), givenUp, asked, read(pending, 1)],
    step: end(pending),
  },
  { name: 'ends unasked', events: [begun(unknown), givenUp, ending], step: end(unknown) },
  { name: 'asked while the last were answered', events: [begun(unknown), givenUp, ending, asked], step: reading(1) },
];

describe('the next step', () => {
  test.each(ROWS)('$name', ({ events, step }) => {
    expect(stepAfter(events)).toEqual(step);
  });

  test.each([
    { name: 'unknown', invocation: unknown, reads: UNKNOWN_READ_TIMES_MS.length },
    { name: 'pending', invocation: pending, reads: PENDING_READS_MAX },
  ])('$name: after $reads reads of its schedule it is given up, once', ({ invocation, reads }) => {
    const events: ReconciliationEvent[] = [begun(invocation)];
    for (let made = 0; made < reads; made++) {
      expect(stepAfter(events).next).toBe('wait');
      events.push(waitOver);
      expect(stepAfter(events)).toEqual(reading());
      events.push(read(invocation));
    }
    expect(stepAfter(events)).toEqual(giveUp(reads));
    expect(stepAfter([...events, givenUp])).toEqual(end(invocation));
  });

  test('what becomes pending has all the reads of that schedule', () => {
    const events = [begun(unknown), waitOver, read(unknown), waitOver, read(pending)];
    expect(stateAfter(events).reads).toEqual({ unknown: 2, pending: 0 });
    const allButOne = Array.from({ length: PENDING_READS_MAX - 1 }, () => [waitOver, read(pending)]).flat();
    expect(stepAfter([...events, ...allButOne]).next).toBe('wait');
    expect(stepAfter([...events, ...allButOne, waitOver, read(pending)]).next).toBe('give_up');
  });

  test('draws a random number for a wait and for nothing else', () => {
    const draws = ROWS.map(({ events }) => {
      let drawn = 0;
      const step = nextStep(stateAfter(events), NOW_MS, () => {
        drawn++;
        return 0;
      });
      return { next: step.next, drawn };
    });
    for (const { next, drawn } of draws) expect(drawn).toBe(next === 'wait' ? 1 : 0);
  });
});

test.each([
  { name: 'nothing happened', events: [begun(unknown)], woken: false },
  { name: 'a read was asked for', events: [begun(unknown), asked], woken: true },
  { name: 'it was answered', events: [begun(unknown), asked, read(unknown, 1)], woken: false },
  { name: 'the record changed', events: [begun(unknown), changed], woken: true },
])('a wait ends where $name: $woken', ({ events, woken }) => {
  expect(isWoken(stateAfter(events))).toBe(woken);
});

test('a wait that is over before the first look is a fault of the workflow', () => {
  expect(() => stateAfter([waitOver])).toThrow('before the first look');
});
