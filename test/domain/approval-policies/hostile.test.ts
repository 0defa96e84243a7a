import type { RE2JS } from 're2js';
import { describe, expect, test, vi } from 'vitest';
import { HOSTILE_INPUT, HOSTILE_OVER_INPUT, HOSTILE_WHEN_WRITTEN } from '../../../bench/policy/hostile.ts';
import { evaluatePolicies, compilePolicySet } from '../../../domain/approval-policies/evaluate-policies.ts';
import { EVALUATION_UNITS_MAX, EXPRESSION_UNITS_MAX } from '../../../domain/cel/limits.ts';
import { patternsOf } from '../../../domain/cel/patterns.ts';
import { parseTree } from '../../../domain/cel/tree.ts';
import { compileCondition } from '../../../domain/approval-policies/condition.ts';
import { bindFacts } from '../../../domain/approval-policies/expression-facts.ts';
import { Meter } from '../../../domain/cel/meter.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { documentOf, evaluated, FACTS, NO_DEFAULTS, refusalOf, verdictOf } from './support.ts';

/** Without metering, each of these takes from seconds to years. This test does not measure speed; bench/policy does. */
const SURELY_CUT_OFF_MS = 5_000;

describe('an expression built to explode', () => {
  test.each(HOSTILE_WHEN_WRITTEN.map(({ name, text }) => [name, text]))(
    'is refused when it is written: %s',
    (_, text) => {
      const startedAt = performance.now();
      expect(refusalOf(text)).not.toBeNull();
      expect(performance.now() - startedAt).toBeLessThan(SURELY_CUT_OFF_MS);
    },
  );

  test.each(HOSTILE_OVER_INPUT.map(({ name, text }) => [name, text]))('is cut off: %s', (_, text) => {
    const startedAt = performance.now();
    const meter = new Meter(EVALUATION_UNITS_MAX);
    expect(evaluated(text, { input: HOSTILE_INPUT }, meter)).toEqual({
      ok: false,
      isOverBound: true,
      message: 'the expression is too much work for this input',
    });
    expect(performance.now() - startedAt).toBeLessThan(SURELY_CUT_OFF_MS);
  });

  test('cannot hide that it was cut off behind ||, && or ?:', () => {
    const [{ text } = { text: '' }] = HOSTILE_OVER_INPUT;
    const input = HOSTILE_INPUT;
    for (const hidden of [`true || ${text}`, `false && ${text}`]) {
      expect(evaluated(hidden, { input })).toMatchObject({ ok: true });
    }
    for (const hidden of [`${text} || true`, `!(${text} && false)`, `(${text} ? true : true)`]) {
      expect(evaluated(hidden, { input })).toMatchObject({ ok: false, isOverBound: true });
    }
  });

  test('is cut off as well where those before it have left less than it has parts', () => {
    const meter = new Meter(EVALUATION_UNITS_MAX);
    meter.charge(EVALUATION_UNITS_MAX - 3);
    expect(evaluated('input.amount == 1 || input.amount == 2', {}, meter)).toMatchObject({
      ok: false,
      isOverBound: true,
    });
  });

  test('leaves nothing behind that grows: a pattern does not remember the texts that it was tried on', () => {
    const program = [...patternsOf(parseTree('input.a.matches("[ab]*a[ab]{40}[cd]")')).values()][0];
    if (program === undefined) throw new Error('there is no pattern');
    const compiled = compileCondition('input.bits.substring(0, 400).matches("[ab]*a[ab]{40}[cd]")');
    if (!compiled.ok) throw new Error(compiled.message);
    const states = vi.spyOn(Object.getPrototypeOf(program) as RE2JS, 'test');
    const evaluatedIt = compiled.expression.evaluate(
      bindFacts({ ...FACTS, input: HOSTILE_INPUT }),
      new Meter(EVALUATION_UNITS_MAX),
    );
    expect(evaluatedIt).toEqual({ ok: true, value: false });
    expect(states).not.toHaveBeenCalled();
    states.mockRestore();
  });

  test('denies, with the code that says so, and leaves the other policies to decide', () => {
    const [{ text } = { text: '' }] = HOSTILE_OVER_INPUT;
    const input = HOSTILE_INPUT;
    const verdict = verdictOf(
      [
        { name: 'Fine', rules: [{ id: 'ask', match: {}, effect: 'require_approval' }] },
        { name: 'Hostile', rules: [{ id: 'boom', match: {}, when: text, effect: 'allow' }] },
      ],
      { input },
    );
    expect(verdict).toMatchObject({ effect: 'deny', ruleId: 'boom', refusal: { code: 'policy_evaluation_error' } });
    expect(verdict.trace.map(({ ruleId, outcome }) => [ruleId, outcome])).toEqual([
      ['ask', 'matched'],
      ['boom', 'error'],
    ]);
  });

  test('many at once share one bound: what comes after it denies without being evaluated', () => {
    const [{ text } = { text: '' }] = HOSTILE_OVER_INPUT;
    const input = HOSTILE_INPUT;
    const policies = Array.from({ length: 20 }, (_, index) => ({
      id: `pol_${index}`,
      name: `Policy ${String(index).padStart(2, '0')}`,
      priority: 0,
      version: 1,
      document: documentOf([{ id: 'boom', match: {}, when: text, effect: 'allow' }]),
    }));
    const verdict = evaluatePolicies(compilePolicySet(policies), { ...FACTS, input }, NO_DEFAULTS);
    expect(verdict.refusal?.code).toBe('policy_evaluation_error');
    expect(verdict.trace).toHaveLength(20);
    const details = verdict.trace.map(({ detail }) => detail);
    expect(details.filter((detail) => detail === 'the expression is too much work for this input')).toHaveLength(2);
    expect(details.at(-1)).toBe('the policies are too much work for this request');
  });

  test('globs that go back and forth are charged for as well', () => {
    const tag = 'a'.repeat(10_000);
    const globs = Array.from({ length: 50 }, (_, index) => `*${'a'.repeat(60)}*${'a'.repeat(60)}b${index}`);
    const rules = Array.from({ length: 15 }, (_, index) => ({
      id: `r${index}`,
      match: { tags: globs },
      effect: 'allow',
    }));
    const verdict = verdictOf([{ rules }], { action: { ...FACTS.action, tag } });
    expect(verdict.refusal?.code).toBe('policy_evaluation_error');
  });
});

describe('an input of a megabyte', () => {
  const empties = Array.from({ length: 340_000 }, () => ({}));
  const evaluatedOnce = (text: string, input: JsonObject): [outcome: boolean | 'over its bound', spent: number] => {
    const meter = new Meter(EVALUATION_UNITS_MAX);
    const result = evaluated(text, { input }, meter);
    if (result.ok) return [result.value === true, meter.spent];
    return [result.isOverBound ? 'over its bound' : false, meter.spent];
  };

  test('costs nothing where nobody looks at it', () => {
    const alone = evaluatedOnce('input.amount == 5', { amount: 5 });
    expect(evaluatedOnce('input.amount == 5', { amount: 5, empties })).toEqual(alone);
    expect(evaluatedOnce('input.amount == 5', { amount: 5, deep: { down: { empties } } })).toEqual(alone);
  });

  test.each([
    ['a list of many objects', 'size(input.large) > 0', empties],
    ['a list of many lists', 'size(input.large) > 0', empties.map(() => [])],
    ['lists in lists', 'input.large[0].size() > 0', [empties]],
    ['an object of many members', 'size(input.large) > 0', Object.fromEntries(empties.map((_, at) => [`k${at}`, 0]))],
    ['one that || would swallow', 'size(input.large) > 0 || true', empties],
  ])('is cut off where it is looked at and is %s', (_, text, large) => {
    expect(evaluatedOnce(text, { large })[0]).toBe('over its bound');
  });

  test('is converted once, and looks the same in every order of looking', () => {
    const input = { z: 1, a: [1, 2.5, { b: null }], m: 'x' };
    const whole = '"%s %s".format([input.m, input]) == "%s %s".format([input.m, input])';
    expect(evaluated(whole, { input })).toEqual({ ok: true, value: true });
    expect(evaluated('"%s".format([[input.m, input.a[2].b == null]]) == "[x, true]"', { input })).toMatchObject({
      ok: true,
      value: true,
    });
    expect(evaluated('input == {"z": 1, "m": "x", "a": [1, 2.5, {"b": null}]}', { input })).toEqual({
      ok: true,
      value: true,
    });
    expect(evaluated('input.map(name, name) == ["z", "a", "m"] && size(input) == 3', { input })).toEqual({
      ok: true,
      value: true,
    });
  });
});

describe('an ordinary expression', () => {
  const recipients = Array.from({ length: 1_000 }, (_, index) => `person-${index}@example.com`);
  const body = 'x'.repeat(500_000);

  test.each([
    'input.recipients.all(r, r.endsWith("@example.com"))',
    'input.recipients.filter(r, r.contains("-19")).map(r, r.upperAscii()).exists(r, r == "PERSON-199@EXAMPLE.COM")',
    'size(input.body) < 600000 && !input.body.contains("secret")',
    'input.recipients[0].matches("^[a-z0-9.-]+@example[.]com$")',
    'input.recipients.size() <= 1000 && "person-999@example.com" in input.recipients',
    'impact.all(i, i.dimension != "money" || i.currency in ["usd", "eur"])',
  ])('stays far below its bound over a large input: %s', (text) => {
    const meter = new Meter(EVALUATION_UNITS_MAX);
    expect(evaluated(text, { input: { recipients, body } }, meter)).toEqual({ ok: true, value: true });
    expect(meter.spent).toBeLessThan(EXPRESSION_UNITS_MAX);
  });

  test('is charged the same each time', () => {
    const compiled = compileCondition('input.items.map(x, x.count).exists(x, x == 2)');
    const spent = [1, 2, 3].map(() => {
      const meter = new Meter(EVALUATION_UNITS_MAX);
      if (compiled.ok) compiled.expression.evaluate(bindFacts(FACTS), meter);
      return meter.spent;
    });
    expect(new Set(spent).size).toBe(1);
    expect(spent[0]).toBeGreaterThan(0);
  });
});
