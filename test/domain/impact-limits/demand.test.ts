import { describe, expect, test } from 'vitest';
import { appliesTo, demandsOn, type ImpactFacts } from '../../../domain/impact-limits/demand.ts';
import { matchesGlob } from '../../../domain/glob.ts';
import type { LimitScope, LimitTerms } from '../../../domain/impact-limits/limits.ts';

const FACTS: ImpactFacts = {
  impact: [{ dimension: 'money', currency: 'usd', amount: 500, bound: 'exact' }],
  actionName: 'refunds.create',
  adapterType: 'stripe.refund',
  apiKeyId: 'key_1',
  agentId: 'agent-1',
  target: { host: 'api.stripe.com', customer: { ids: [7, 8] }, live: true },
};

function limit(name: string, over: Partial<LimitTerms> = {}): LimitTerms & { name: string } {
  return { name, dimension: 'money', currency: 'usd', period: 'day', timezone: 'UTC', scope: {}, ...over };
}

const namesOf = (limits: readonly { name: string }[]): string[] => limits.map(({ name }) => name);

describe('a glob', () => {
  test.each([
    ['*', '', true],
    ['*', 'anything', true],
    ['', '', true],
    ['', 'a', false],
    ['refunds.*', 'refunds.create', true],
    ['refunds.*', 'refunds', false],
    ['*.create', 'refunds.create', true],
    ['r*s.*te', 'refunds.create', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b', 'xxbxxa', false],
    ['refunds.create', 'refunds.create2', false],
    ['refunds?create', 'refunds.create', true],
    ['refunds?create', 'refundscreate', false],
    // Nothing else has a meaning.
    ['refunds.create', 'refundsxcreate', false],
    ['[r]efunds', 'refunds', false],
  ])('%s on %s: %s', (pattern, text, matches) => {
    expect(matchesGlob(pattern, text)).toBe(matches);
  });

  test('takes no longer for a pattern that is built to explode', () => {
    const text = 'a'.repeat(255);
    let steps = 0;
    // Counts the characters that the matcher looks at; the time it takes would depend on the machine.
    const counting = new Proxy(Object('*a'.repeat(100) + 'b') as object, {
      get: (target, key) => {
        steps += 1;
        return Reflect.get(target, key, target) as unknown;
      },
    });
    expect(matchesGlob(counting as unknown as string, text)).toBe(false);
    expect(steps).toBeLessThan(200 * 255 * 3);
  });
});

describe('the scope of a limit', () => {
  test.each<[LimitScope, boolean]>([
    [{}, true],
    [{ actions: ['refunds.*'] }, true],
    [{ actions: ['payments.*', 'refunds.create'] }, true],
    [{ actions: ['payments.*'] }, false],
    [{ adapters: ['stripe.*'] }, true],
    [{ adapters: ['http.request'] }, false],
    [{ apiKeys: ['key_2', 'key_1'] }, true],
    [{ apiKeys: ['key_*'] }, false],
    [{ agentIds: ['agent-1'] }, true],
    [{ agentIds: ['agent-2'] }, false],
    [{ target: { path: 'host', equals: 'api.stripe.com' } }, true],
    [{ target: { path: 'host', equals: 'api.example.com' } }, false],
    [{ target: { path: 'customer.ids[1]', equals: 8 } }, true],
    [{ target: { path: 'customer.ids[1]', equals: '8' } }, false],
    [{ target: { path: 'customer.ids[2]', equals: 8 } }, false],
    [{ target: { path: 'live', equals: true } }, true],
    [{ target: { path: 'constructor.name', equals: 'Object' } }, false],
    // All members must hold.
    [{ actions: ['refunds.*'], agentIds: ['agent-1'], target: { path: 'live', equals: true } }, true],
    [{ actions: ['refunds.*'], agentIds: ['agent-2'] }, false],
    [{ actions: ['refunds.*'], target: { path: 'live', equals: false } }, false],
  ])('%j: %s', (scope, applies) => {
    expect(appliesTo(scope, FACTS)).toBe(applies);
  });

  test('a limit of keys or agents applies to nobody else', () => {
    const nobody = { ...FACTS, apiKeyId: null, agentId: null };
    expect(appliesTo({ apiKeys: ['key_1'] }, nobody)).toBe(false);
    expect(appliesTo({ agentIds: ['agent-1'] }, nobody)).toBe(false);
  });
});

describe('what an effect needs', () => {
  test('quantities of one dimension and currency add up, each limit by itself', () => {
    const impact: ImpactFacts['impact'] = [
      { dimension: 'money', currency: 'usd', amount: 500, bound: 'exact' },
      { dimension: 'money', currency: 'usd', amount: 30, bound: 'upper_bound' },
      { dimension: 'emails', amount: 2, bound: 'exact' },
      { dimension: 'emails', amount: 3, bound: 'exact' },
      { dimension: 'rows', amount: 9, bound: 'exact' },
    ];
    const limits = [
      limit('all money'),
      limit('refunds', { scope: { actions: ['refunds.*'] } }),
      limit('emails', { dimension: 'emails', currency: null }),
      limit('other action', { scope: { actions: ['payments.*'] } }),
      limit('other dimension', { dimension: 'tokens', currency: null }),
    ];
    const { demands, otherCurrency } = demandsOn(limits, { ...FACTS, impact });
    expect(demands.map((demand) => [demand.limit.name, demand.amount])).toEqual([
      ['all money', 530],
      ['refunds', 530],
      ['emails', 5],
    ]);
    expect(otherCurrency).toEqual([]);
  });

  test('a sum beyond the exact numbers stays above every cap', () => {
    const most = { dimension: 'money', currency: 'usd', amount: Number.MAX_SAFE_INTEGER, bound: 'exact' } as const;
    const { demands } = demandsOn([limit('all')], { ...FACTS, impact: Array.from({ length: 20 }, () => most) });
    expect(demands[0]?.amount).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    expect(String(demands[0]?.amount)).toMatch(/^\d+$/); // in the form of a bigint column
  });

  test('nothing needs nothing, in whatever currency', () => {
    const impact: ImpactFacts['impact'] = [{ dimension: 'money', currency: 'eur', amount: 0, bound: 'exact' }];
    expect(demandsOn([limit('dollars')], { ...FACTS, impact })).toEqual({ demands: [], otherCurrency: [] });
  });
});

describe('money in another currency', () => {
  const euros: ImpactFacts = {
    ...FACTS,
    impact: [{ dimension: 'money', currency: 'eur', amount: 500, bound: 'exact' }],
  };

  test('does not slip past a limit on dollars', () => {
    const { demands, otherCurrency } = demandsOn([limit('dollars')], euros);
    expect(demands).toEqual([]);
    expect(namesOf(otherCurrency)).toEqual(['dollars']);
  });

  test('is counted by a limit on it, and then the one on dollars says nothing', () => {
    const { demands, otherCurrency } = demandsOn([limit('dollars'), limit('euros', { currency: 'eur' })], euros);
    expect(namesOf(demands.map((demand) => demand.limit))).toEqual(['euros']);
    expect(otherCurrency).toEqual([]);
  });

  test('is not helped by a limit that does not apply', () => {
    const elsewhere = limit('euros elsewhere', { currency: 'eur', scope: { actions: ['payments.*'] } });
    expect(namesOf(demandsOn([limit('dollars'), elsewhere], euros).otherCurrency)).toEqual(['dollars']);
  });

  test('passes where no limit on money applies', () => {
    const elsewhere = limit('dollars elsewhere', { scope: { actions: ['payments.*'] } });
    expect(demandsOn([elsewhere], euros)).toEqual({ demands: [], otherCurrency: [] });
  });

  test('counts what can be counted, and still names what cannot', () => {
    const both = { ...euros, impact: [...FACTS.impact, ...euros.impact] };
    const { demands, otherCurrency } = demandsOn([limit('dollars')], both);
    expect(demands).toMatchObject([{ amount: 500 }]);
    expect(namesOf(otherCurrency)).toEqual(['dollars']);
  });
});
