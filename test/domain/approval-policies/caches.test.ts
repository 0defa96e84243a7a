import { describe, expect, test } from 'vitest';
import { compileCondition } from '../../../domain/approval-policies/condition.ts';
import { PolicySetCache, type UncompiledPolicySet } from '../../../domain/approval-policies/policy-set-cache.ts';
import { documentOf } from './support.ts';

/** The cache of compiled policies in a process, and how it is filled. */

function uncompiled(stamp: string, over: Partial<UncompiledPolicySet> = {}, conditions = 1): UncompiledPolicySet {
  const rules = Array.from({ length: conditions }, (_, index) => ({
    id: `r${index}`,
    match: {},
    when: `input.amount == ${index}`,
    effect: 'deny',
  }));
  const policy = { id: 'pol_1', name: stamp, priority: 0, version: 1, document: documentOf(rules) };
  return { environmentId: `environment of ${stamp}`, revision: 1, stamp, policies: [policy], bytes: 100, ...over };
}

describe('compiled sets', () => {
  test('are found by their stamp, and compiled once for all who ask at a time', async () => {
    const sets = new PolicySetCache();
    expect(sets.find('a')).toBeNull();
    const [first, second] = await Promise.all([sets.compile(uncompiled('a')), sets.compile(uncompiled('a'))]);
    expect(second).toBe(first);
    expect(sets.find('a')).toBe(first);
    expect(await sets.compile(uncompiled('a'))).toBe(first);
    expect(first?.set.policies[0]?.rules).toHaveLength(1);
  });

  test('are the newest of each environment: no change of its policies takes the room of another', async () => {
    const sets = new PolicySetCache();
    const other = await sets.compile(uncompiled('other'));
    for (let round = 0; round < 50; round++) {
      await sets.compile(uncompiled(`stamp ${round}`, { environmentId: 'busy', bytes: 1_000_000 }));
    }
    expect(sets.size).toBe(2);
    expect(sets.find('other')).toBe(other);
    expect(sets.find('stamp 48')).toBeNull();
    expect(sets.find('stamp 49')).not.toBeNull();
  });

  test('are as many as there is room for, by the weight of documents and conditions; the newest in any case', async () => {
    const sets = new PolicySetCache(10_000);
    await sets.compile(uncompiled('a', { bytes: 1_000 }));
    await sets.compile(uncompiled('b', { bytes: 1_000 }));
    sets.find('a'); // used more recently than b
    await sets.compile(uncompiled('c', { bytes: 0 }, 2));
    expect(['a', 'b', 'c'].map((stamp) => sets.find(stamp) !== null)).toEqual([true, false, true]);
    await sets.compile(uncompiled('huge', { bytes: 1_000_000 }));
    expect([sets.size, sets.find('huge') !== null]).toEqual([1, true]);
  });

  test('are compiled between other work: a round of the event loop comes long before a large set is done', async () => {
    const sets = new PolicySetCache();
    let isDone = false;
    const [policy] = uncompiled('large').policies;
    if (policy === undefined) throw new Error('there is no policy');
    // Not through `documentOf`, which compiles them and takes some milliseconds each.
    const rules = Array.from({ length: 20 }, (_, index) => {
      const when = `${Array.from({ length: 100 }, (_, part) => `input.a == ${part}`).join(' || ')} || input.b == ${index}`;
      return { id: `r${index}`, match: {}, when, effect: 'deny' as const };
    });
    const policies = [{ ...policy, document: { ...policy.document, rules } }];
    const large = sets.compile(uncompiled('large', { policies })).then(() => (isDone = true));
    const rounds = await new Promise<number>((resolve) => {
      let count = 0;
      const next = (): void => {
        if (isDone) resolve(count);
        else {
          count++;
          setImmediate(next);
        }
      };
      next();
    });
    await large;
    expect(rounds).toBeGreaterThan(2);
  });
});

describe('compiled expressions', () => {
  test('are cached by their weight, and the least recently used go first', () => {
    // Each has about 400 kB, because of its pattern: the cache holds forty and not seventy.
    const compileHeavy = (from: number, end: number): void => {
      for (let index = from; index < end; index++) compileCondition(`input.a.matches("${index}a{900}b{900}")`);
    };
    const used = compileCondition('input.cached == 1');
    const forgotten = compileCondition('input.cached == 2');
    compileHeavy(0, 40);
    expect(compileCondition('input.cached == 1')).toBe(used);
    compileHeavy(40, 70);
    expect(compileCondition('input.cached == 1')).toBe(used);
    expect(compileCondition('input.cached == 2')).not.toBe(forgotten);
    compileHeavy(70, 140);
    expect(compileCondition('input.cached == 1')).not.toBe(used);
  });

  test('weigh what their patterns take, which may be far more than their text', () => {
    const bytesOf = (text: string): number => {
      const compiled = compileCondition(text);
      if (!compiled.ok) throw new Error(compiled.message);
      return compiled.expression.bytes;
    };
    expect(bytesOf('input.a.matches("a{900}")')).toBeGreaterThan(50 * bytesOf('input.a.endsWith("a{900}")'));
  });

  test('are the same object for the same text', () => {
    expect(compileCondition('input.kept == 1')).toBe(compileCondition('input.kept == 1'));
  });
});
