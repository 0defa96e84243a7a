import { describe, expect, test } from 'vitest';
import { resolveBody } from '../../../api/reconciliation/schemas.ts';
import { settledImpactIssues } from '../../../domain/reconciliation/resolutions.ts';
import { evidence } from './support.ts';

const said = { outcome: 'succeeded', evidence } as const;
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`id${n}`, 'x']));

describe('the body of a resolution', () => {
  test.each<[string, unknown]>([
    ['an outcome and how they know', said],
    [
      'all of it',
      { ...said, partialEffect: 'possible', settledImpact: [], evidence: { ...evidence, providerIds: named(20) } },
    ],
    ['three characters', { ...said, evidence: { summary: 'yes' } }],
    [
      'two thousand characters',
      { ...said, evidence: { summary: 'x'.repeat(2_000), url: 'https://provider.example/re_1' } },
    ],
  ])('%s', (_, body) => {
    expect(resolveBody.safeParse(body).error?.issues ?? []).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['no evidence', { outcome: 'succeeded' }, 'evidence'],
    ['no outcome', { evidence }, 'outcome'],
    ['that it is unknown', { ...said, outcome: 'unknown' }, 'outcome'],
    ['another partial effect', { ...said, partialEffect: 'some' }, 'partialEffect'],
    ['anything else', { ...said, note: 'more' }, ''],
    ['too little', { ...said, evidence: { summary: 'ok' } }, 'evidence.summary'],
    ['blanks', { ...said, evidence: { summary: ' ok ' } }, 'evidence.summary'],
    // JavaScript counts three halves of characters; the database counts two characters.
    ['two characters', { ...said, evidence: { summary: '\u{1f600}a' } }, 'evidence.summary'],
    ['too much', { ...said, evidence: { summary: 'x'.repeat(2_001) } }, 'evidence.summary'],
    [
      'a URL that is none of the web',
      { ...said, evidence: { ...evidence, url: 'javascript:alert(1)' } },
      'evidence.url',
    ],
    [
      'an id that is no text',
      { ...said, evidence: { ...evidence, providerIds: { refund: 7 } } },
      'evidence.providerIds.refund',
    ],
    ['too many ids', { ...said, evidence: { ...evidence, providerIds: named(21) } }, 'evidence.providerIds'],
  ])('not %s', (_, body, path) => {
    expect(resolveBody.safeParse(body).error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});

describe('what it really used', () => {
  const declared = [
    { dimension: 'money', currency: 'usd', amount: 900, bound: 'upper_bound' },
    { dimension: 'emails', amount: 2, bound: 'exact' },
  ] as const;
  const used = { dimension: 'emails', amount: 1, bound: 'exact' } as const;

  test('is at most what was declared, of what was declared, and nothing where nothing was left behind', () => {
    const issues = (request: Parameters<typeof settledImpactIssues>[0]) =>
      settledImpactIssues(request, declared).map(({ path }) => path);
    expect(issues({ outcome: 'succeeded', settledImpact: [used] })).toEqual([]);
    expect(issues({ outcome: 'failed', partialEffect: 'confirmed', settledImpact: [used] })).toEqual([]);
    expect(issues({ outcome: 'failed', settledImpact: [{ ...used, amount: 0 }] })).toEqual([]);
    expect(issues({ outcome: 'failed', settledImpact: [used] })).toEqual(['body.settledImpact']);
    expect(issues({ outcome: 'succeeded', settledImpact: [used, { ...used, amount: 3 }] })).toEqual([
      'body.settledImpact[1]',
    ]);
    expect(issues({ outcome: 'succeeded', settledImpact: [{ ...used, amount: 3 }] })).toEqual([
      'body.settledImpact[0].amount',
    ]);
    expect(issues({ outcome: 'succeeded', settledImpact: [{ ...used, dimension: 'money' }] })).toEqual([
      'body.settledImpact[0]',
    ]);
  });
});
