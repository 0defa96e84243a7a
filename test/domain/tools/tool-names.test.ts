import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolNameOf } from '../../../domain/tools/tool-names.ts';

const SEED = { seed: 4 };
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
/** Names of actions, thick with what has to be mapped. */
const actionName = fc
  .tuple(fc.constantFrom('a', 'b'), fc.string({ unit: fc.constantFrom('a', '.', '_', '-', '0', 'x'), maxLength: 63 }))
  .map(([first, rest]) => first + rest);

describe('the name of a tool', () => {
  it.each([
    ['refund', 'refund'],
    ['refund_create', 'refund_create'],
    ['refund.create', 'refund__create'],
    ['stripe.refund-2.create', 'stripe__refund-2__create'],
  ])('of %s', (name, tool) => {
    expect(toolNameOf(name)).toBe(tool);
  });

  it.each(['a__b', 'a_.b', 'a..b', `a${'.x'.repeat(31)}`])('of %s ends in a part of its hash', (name) => {
    expect(toolNameOf(name)).toMatch(/^a_.*_x[0-9a-f]{12}$/);
  });

  it('is legal, and belongs to one action', () => {
    fc.assert(
      fc.property(fc.uniqueArray(actionName, { minLength: 2, maxLength: 60 }), (names) => {
        const tools = names.map(toolNameOf);
        expect(tools.filter((tool) => !LEGAL.test(tool))).toEqual([]);
        expect(new Set(tools).size).toBe(names.length);
      }),
      SEED,
    );
  });

  it('that looks like one of the three kinds is not taken for it', () => {
    const names = [
      'a.b',
      'a__b',
      'a_b',
      'a_.b',
      'a._b',
      toolNameOf('a__b'),
      toolNameOf('a.b'),
      toolNameOf(toolNameOf('a__b')),
    ];
    const distinct = [...new Set(names)];
    expect(new Set(distinct.map(toolNameOf)).size).toBe(distinct.length);
  });

  it('reads back where it has dots and no hash', () => {
    fc.assert(
      fc.property(actionName, (name) => {
        const tool = toolNameOf(name);
        fc.pre(!/_x[0-9a-f]{12}$/.test(tool));
        expect(tool.replaceAll('__', '.')).toBe(name);
      }),
      SEED,
    );
  });
});
