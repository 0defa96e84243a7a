import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runBare, runOurs, specCases, type Verdict } from './run-case.ts';

/**
 * The conformance suite of CEL (cel-spec, as @bufbuild/cel-spec packages it), run through our own path: the checks of check.ts,
 * the rewritten tree, every call metered, and our functions in place of the library's. Each case also runs on the bare library,
 * so that the three lists beside this file separate our deviations from the library's.
 */
const outcomes = specCases().map((item) => ({
  path: item.path,
  isChecked: !item.test.disableCheck,
  ours: runOurs(item),
  bare: runBare(item),
}));
type Outcome = (typeof outcomes)[number];

const passes = (verdict: Verdict): boolean => verdict === 'passed' || verdict === 'rejected';
const listed = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as unknown;
const where = (holds: (outcome: Outcome) => boolean): string[] => outcomes.filter(holds).map(({ path }) => path);
const isRefusedByUs = ({ ours, bare }: Outcome): boolean => passes(bare) && !passes(ours);

describe('the conformance cases of CEL', () => {
  test('are all run', () => {
    expect(outcomes).toHaveLength(2_344);
  });

  test('pass: 1,798 by their value or error, 91 by an error that is found when they are written', () => {
    expect(where(({ ours }) => ours === 'passed')).toHaveLength(1_798);
    expect(where(({ ours }) => ours === 'rejected')).toEqual(listed('errors-found-when-written.json'));
  });

  test('that the library passes and our limits refuse are these', () => {
    const refused = outcomes.filter(isRefusedByUs).map(({ path, ours }) => [path, ours]);
    expect(Object.fromEntries(refused)).toEqual(listed('refused-by-our-limits.json'));
    expect(refused).toHaveLength(24);
  });

  test('that our limits refuse are, every one, such as the suite says to run without a checker', () => {
    expect(where((outcome) => isRefusedByUs(outcome) && outcome.isChecked)).toEqual([]);
  });

  test('that the library does not pass, nor we, are these', () => {
    expect(where(({ ours, bare }) => !passes(bare) && !passes(ours))).toEqual(listed('not-in-the-library.json'));
  });

  test('are counted and listed on the page as they are', () => {
    const page = readFileSync(new URL('../../../../docs/policy-expressions.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('## Conformance');
    const rows = section.split('\n').flatMap((line) => /^\| ([\d,]+) +\|/.exec(line)?.[1] ?? []);
    const counts = [
      where(({ ours }) => ours === 'passed'),
      where(({ ours }) => ours === 'rejected'),
      where(isRefusedByUs),
      where(({ ours, bare }) => !passes(bare) && !passes(ours)),
    ].map(({ length }) => length);
    expect(rows.map((count) => Number(count.replace(',', '')))).toEqual(counts);
    const [, list = ''] = section.split('without a checker:');
    const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const folder = named.find((name) => name.endsWith('/')) ?? '';
    const paths = named.flatMap((name) => (name === folder ? [] : [name.includes('/') ? name : `${folder}${name}`]));
    expect(paths.toSorted()).toEqual(where(isRefusedByUs).toSorted());
  });
});
