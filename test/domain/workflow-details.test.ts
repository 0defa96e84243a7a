import { describe, expect, test } from 'vitest';
import { REFUSAL_CODES, refusalEntry } from '../../domain/refusals.ts';
import { standingOf, waitsForEffects } from '../../domain/workflow-details.ts';

const effectId = 'eff_0000000000000000000001';

describe('how an invocation stands', () => {
  test.each(REFUSAL_CODES.flatMap((code) => refusalEntry(code).statuses.map((status) => [status, code] as const)))(
    '%s (%s) begins with the status and the code, and says what the code means',
    (status, refusal) => {
      const state = { status, grade: 'refused', stage: null, effectId: null, refusal } as const;
      expect(standingOf(state)).toBe(`${status.toUpperCase()} (${refusal}): ${refusalEntry(refusal).meaning}`);
    },
  );

  test('what is at its provider says where it is read', () => {
    const pending = { status: 'dispatching', grade: 'pending', stage: 'reconciling', effectId } as const;
    expect(standingOf(pending)).toBe(
      `DISPATCHING (pending): Its provider still processes it. Reads go on in reconcile/${effectId}.`,
    );
  });

  test('a success has its grade', () => {
    const confirmed = { status: 'succeeded', grade: 'confirmed', stage: 'settled', effectId } as const;
    expect(standingOf(confirmed)).toBe('SUCCEEDED (confirmed)');
  });
});

test('effects that are waited for are named, ten at the most', () => {
  expect(waitsForEffects(['eff_1', 'eff_2'])).toBe('WAITS for the effects that it depends on: eff_1, eff_2');
  const twelve = Array.from({ length: 12 }, (_, index) => `eff_${index}`);
  expect(waitsForEffects(twelve)).toMatch(/eff_9 and 2 more$/);
});
