import { describe, expect, test } from 'vitest';
import { OUTCOMES, type Outcome } from '../../domain/lifecycle.ts';
import { type Refusal, refusalEntry } from '../../domain/refusals.ts';
import {
  DATABASE_RECOVERED,
  type DispatchRecord,
  NEVER_TAKEN_UP,
  type Settlement,
  settlementOf,
  statusOf,
  WORKER_LOST,
} from '../../domain/settlement.ts';

type Attempt = DispatchRecord['attempt'];
type Evidence = DispatchRecord['evidence'][number];
type Known = Extract<Settlement, { kind: 'known' }>;

const REFUSAL: Refusal = { code: 'secret_missing', message: 'no secret named TOKEN in this environment' };
const DECISIVE = ['succeeded', 'failed', 'pending'] as const;
const SILENT = [null, 'unknown', 'not_dispatched'] as const;

/** Every state that the database allows for a dispatch's attempt (migration 0007), except refusals. */
const ATTEMPTS: readonly Attempt[] = [
  { status: 'started', claimed: false, observedOutcome: null, refusal: null, error: null },
  { status: 'started', claimed: true, observedOutcome: null, refusal: null, error: null },
  { status: 'abandoned', claimed: false, observedOutcome: 'not_dispatched', refusal: null, error: NEVER_TAKEN_UP },
  { status: 'abandoned', claimed: true, observedOutcome: 'unknown', refusal: null, error: WORKER_LOST },
  { status: 'abandoned', claimed: true, observedOutcome: null, refusal: null, error: null },
  ...OUTCOMES.map((observedOutcome): Attempt => ({
    status: 'completed',
    claimed: true,
    observedOutcome,
    refusal: null,
    error: observedOutcome === 'succeeded' ? null : `the dispatch saw: ${observedOutcome}`,
  })),
];

const said = (source: Evidence['source'], impliedOutcome: Outcome | null, ofFirstRequest = false): Evidence => ({
  source,
  impliedOutcome,
  summary: `${source} says ${impliedOutcome}`,
  ofFirstRequest,
});

/** No evidence, each single one, and each ordered pair. */
const SINGLE = (['provider_response', 'provider_lookup'] as const).flatMap((source) =>
  [...DECISIVE, ...SILENT].map((outcome) => said(source, outcome)),
);
const TRAILS: readonly (readonly Evidence[])[] = [
  [],
  ...SINGLE.map((one) => [one]),
  ...SINGLE.flatMap((one) => SINGLE.map((other) => [one, other])),
];

const COMBINATIONS = ATTEMPTS.flatMap((attempt) => TRAILS.map((evidence) => ({ attempt, evidence })));

function settle(
  attempt: Attempt,
  evidence: readonly Evidence[] = [],
  unansweredReplay = false,
  ambiguous = false,
): Known {
  const settlement = settlementOf({ attempt, evidence: [...evidence], unansweredReplay, ambiguous });
  if (settlement.kind !== 'known') throw new Error('nothing was refused');
  return settlement;
}

const named = ({ attempt, evidence }: (typeof COMBINATIONS)[number]): string =>
  `${attempt.status}, claimed ${attempt.claimed}, saw ${attempt.observedOutcome}, then ${evidence.map((one) => one.summary).join(', ') || 'nothing'}`;

const isDecisive = (outcome: Outcome | null): outcome is (typeof DECISIVE)[number] =>
  DECISIVE.some((one) => one === outcome);

/** The rule, computed in another way: the last decisive observation of the strongest source. */
function expectedOutcome(attempt: Attempt, evidence: readonly Evidence[]): Known['outcome'] {
  if (attempt.status === 'started' && !attempt.claimed) return 'failed';
  for (const source of ['provider_lookup', 'provider_response'] as const) {
    const words = evidence
      .filter((one) => one.source === source)
      .map((one) => one.impliedOutcome)
      .filter(isDecisive);
    const last = words.at(-1);
    if (last !== undefined) return last;
  }
  if (attempt.observedOutcome === 'not_dispatched') return 'failed';
  return isDecisive(attempt.observedOutcome) ? attempt.observedOutcome : 'unknown';
}

describe('over every combination of attempt and evidence', () => {
  test('the table is whole', () => {
    expect(COMBINATIONS).toHaveLength(10 * (1 + 12 + 144));
  });

  test('the outcome is the last decisive word of the strongest source', () => {
    for (const one of COMBINATIONS) {
      expect(settle(one.attempt, one.evidence).outcome, named(one)).toBe(expectedOutcome(one.attempt, one.evidence));
    }
  });

  test('silence after a claim is unknown, held, and never a guess', () => {
    const silent = COMBINATIONS.filter(
      ({ attempt, evidence }) =>
        attempt.claimed &&
        (attempt.observedOutcome === null || attempt.observedOutcome === 'unknown') &&
        evidence.every((one) => !isDecisive(one.impliedOutcome)),
    );
    expect(silent.length).toBeGreaterThan(100);
    for (const one of silent) {
      expect(settle(one.attempt, one.evidence), named(one)).toMatchObject({
        stage: 'reconciling',
        outcome: 'unknown',
        source: null,
        partialEffect: 'possible',
      });
    }
  });

  test('a success always has somebody who said so, and it is never the system', () => {
    for (const one of COMBINATIONS) {
      const { outcome, source } = settle(one.attempt, one.evidence);
      if (outcome !== 'succeeded') continue;
      expect(source, named(one)).toMatch(/^provider_(lookup|response)$/);
      const speaks =
        one.attempt.observedOutcome === 'succeeded' ||
        one.evidence.some((word) => word.source === source && word.impliedOutcome === 'succeeded');
      expect(speaks, named(one)).toBe(true);
    }
  });

  test('a failure is the word of the provider, or the proof that nothing was sent', () => {
    for (const one of COMBINATIONS) {
      const { outcome, source, error } = settle(one.attempt, one.evidence);
      if (outcome !== 'failed') continue;
      const nothingSent = !one.attempt.claimed || one.attempt.observedOutcome === 'not_dispatched';
      expect(source === 'system' ? nothingSent : source !== null, named(one)).toBe(true);
      expect(error, named(one)).not.toBeNull();
    }
  });

  test('what is settled leaves nothing open, what is not is held', () => {
    for (const one of COMBINATIONS) {
      const { stage, outcome, partialEffect } = settle(one.attempt, one.evidence);
      const isOpen = outcome === 'unknown' || outcome === 'pending';
      expect({ stage, partialEffect }, named(one)).toEqual({
        stage: isOpen ? 'reconciling' : 'settled',
        partialEffect: isOpen ? 'possible' : 'none',
      });
    }
  });

  test('a failure and an unknown have a code of their status, and nothing else has one', () => {
    for (const one of COMBINATIONS) {
      const { outcome, code } = settle(one.attempt, one.evidence);
      const statuses: readonly string[] = code === null ? [] : refusalEntry(code).statuses;
      expect(statuses, named(one)).toEqual(outcome === 'failed' || outcome === 'unknown' ? [outcome] : []);
    }
  });

  test('an attempt is abandoned exactly where it is open, and as what the claim proves', () => {
    for (const one of COMBINATIONS) {
      const { abandon } = settle(one.attempt, one.evidence);
      const expected =
        one.attempt.status !== 'started'
          ? null
          : one.attempt.claimed
            ? { observedOutcome: 'unknown', error: WORKER_LOST }
            : { observedOutcome: 'not_dispatched', error: NEVER_TAKEN_UP };
      expect(abandon, named(one)).toEqual(expected);
    }
  });

  test('a refusal inside the dispatch refuses, whatever else there is', () => {
    for (const { attempt, evidence } of COMBINATIONS) {
      const refused: Attempt = { ...attempt, refusal: REFUSAL };
      expect(
        settlementOf({ attempt: refused, evidence: [...evidence], unansweredReplay: false, ambiguous: true }),
      ).toEqual({
        kind: 'refused',
        refusal: REFUSAL,
      });
    }
  });
});

describe('while a replay is unanswered', () => {
  const claimed = ATTEMPTS.filter((attempt) => attempt.claimed);

  test('that the first request failed, or was never sent, proves nothing', () => {
    for (const source of ['provider_response', 'provider_lookup'] as const) {
      for (const attempt of claimed) {
        const { outcome, stage } = settle(attempt, [said(source, 'failed', true)], true);
        const speaks = attempt.observedOutcome === 'succeeded' || attempt.observedOutcome === 'pending';
        expect({ outcome, stage }, attempt.observedOutcome ?? 'nothing').toMatchObject(
          speaks ? { outcome: attempt.observedOutcome } : { outcome: 'unknown', stage: 'reconciling' },
        );
      }
    }
  });

  test('what the replay, or the provider’s own record, says counts all the same; and so does that it was done', () => {
    for (const attempt of claimed) {
      expect(settle(attempt, [said('provider_response', 'failed')], true).outcome).toBe('failed');
      expect(settle(attempt, [said('provider_lookup', 'failed')], true).outcome).toBe('failed');
      for (const outcome of ['succeeded', 'pending'] as const) {
        expect(settle(attempt, [said('provider_response', outcome, true)], true).outcome).toBe(outcome);
      }
    }
  });

  test('once it is answered, the first request’s own answer counts again', () => {
    for (const attempt of claimed) {
      expect(settle(attempt, [said('provider_response', 'failed', true)]).outcome).toBe('failed');
    }
  });
});

test('a record that was not found proves nothing where the provider accepted a request, before or after', () => {
  const lost: Attempt = {
    status: 'completed',
    claimed: true,
    observedOutcome: 'unknown',
    refusal: null,
    error: 'reset',
  };
  const absent = said('provider_lookup', 'failed', true);
  for (const outcome of ['succeeded', 'pending'] as const) {
    const accepted = said('provider_response', outcome);
    expect(settle(lost, [absent, accepted]).outcome).toBe(outcome);
    expect(settle(lost, [accepted, absent]).outcome).toBe(outcome);
  }
  expect(settle(lost, [absent, said('provider_response', 'failed')])).toMatchObject({ code: 'absent_at_provider' });
  expect(settle(lost, [said('provider_response', 'succeeded'), said('provider_lookup', 'failed')]).outcome).toBe(
    'failed',
  );
});

test('what was never taken up has failed by our own word', () => {
  expect(settle({ status: 'started', claimed: false, observedOutcome: null, refusal: null, error: null })).toEqual({
    kind: 'known',
    stage: 'settled',
    outcome: 'failed',
    source: 'system',
    partialEffect: 'none',
    error: NEVER_TAKEN_UP,
    code: 'not_taken_up',
    abandon: { observedOutcome: 'not_dispatched', error: NEVER_TAKEN_UP },
  });
});

test('what a recovery may have lost is unknown, and stays so', () => {
  const lost = { status: 'started', claimed: false, recovered: true, observedOutcome: null, refusal: null } as const;
  const unknown = { stage: 'reconciling', outcome: 'unknown', code: 'database_recovered', error: DATABASE_RECOVERED };
  expect(settle({ ...lost, error: null })).toMatchObject({
    ...unknown,
    abandon: { observedOutcome: 'unknown', error: DATABASE_RECOVERED },
  });
  const abandoned = { ...lost, status: 'abandoned', observedOutcome: 'unknown', error: DATABASE_RECOVERED } as const;
  expect(settle(abandoned)).toMatchObject({ ...unknown, abandon: null });
  expect(settle(abandoned, [said('provider_lookup', 'succeeded')])).toMatchObject({ outcome: 'succeeded' });
});

test('the error says what was seen, and a success has none', () => {
  const completed = { status: 'completed', claimed: true, refusal: null } as const;
  expect(settle({ ...completed, observedOutcome: 'succeeded', error: null }).error).toBeNull();
  expect(settle({ ...completed, observedOutcome: 'failed', error: 'POST answered 422' }).error).toBe(
    'POST answered 422',
  );
  const late = said('provider_lookup', 'succeeded');
  expect(
    settle({ ...completed, observedOutcome: 'unknown', error: 'no usable answer: reset' }, [late]).error,
  ).toBeNull();
});

describe('the code says why', () => {
  const [open, claimed, untaken, lost] = ATTEMPTS;
  const saw = (observedOutcome: Outcome, error = 'seen'): Attempt => ({
    status: 'completed',
    claimed: true,
    observedOutcome,
    refusal: null,
    error,
  });
  test.each<[string, string | null, Attempt | undefined, readonly Evidence[], boolean, boolean]>([
    ['nobody took it up', 'not_taken_up', open, [], false, false],
    ['nobody took it up, settled again', 'not_taken_up', untaken, [], false, false],
    ['its worker is gone', 'worker_lost', claimed, [], false, false],
    ['its worker was lost before', 'worker_lost', lost, [], false, false],
    ['no connection', 'not_sent', saw('not_dispatched'), [], false, false],
    ['silence', 'no_usable_answer', saw('unknown'), [], false, false],
    ['the provider said no', 'provider_rejected', saw('failed'), [], false, false],
    ['a late no', 'provider_rejected', lost, [said('provider_response', 'failed')], false, false],
    ['a read found a failure', 'provider_reports_failure', lost, [said('provider_lookup', 'failed')], false, false],
    ['a read found nothing', 'absent_at_provider', lost, [said('provider_lookup', 'failed', true)], false, false],
    ['a replay is out', 'replay_unanswered', saw('failed'), [], true, false],
    ['two records', 'ambiguous_at_provider', saw('unknown'), [], false, true],
    ['success', null, saw('succeeded'), [], false, false],
    ['under way at the provider', null, saw('pending'), [], false, false],
  ])('%s: %s', (_, code, attempt, evidence, unansweredReplay, ambiguous) => {
    if (attempt === undefined) throw new Error('no such attempt');
    expect(settle(attempt, evidence, unansweredReplay, ambiguous).code).toBe(code);
  });
});

test('the status of the invocation follows the outcome', () => {
  expect((['succeeded', 'failed', 'unknown', 'pending'] as const).map(statusOf)).toEqual([
    'succeeded',
    'failed',
    'unknown',
    'dispatching',
  ]);
});

test('after a read found two records, no answer and no read settles what was not accepted in time', () => {
  for (const { attempt, evidence } of COMBINATIONS) {
    if ((attempt.status === 'started' && !attempt.claimed) || attempt.observedOutcome === 'succeeded') continue;
    expect(settle(attempt, evidence, false, true)).toMatchObject({
      stage: 'reconciling',
      outcome: 'unknown',
      source: null,
      partialEffect: 'possible',
    });
  }
});
