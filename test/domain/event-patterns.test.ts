import { expect, test } from 'vitest';
import { matchesEventType, patternsMatching } from '../../domain/events/events.ts';

test.each([
  [['order.paid'], 'order.paid', true],
  [['order.paid'], 'order.paid.late', false],
  [['*'], 'order', true],
  [['order.*'], 'order.paid', true],
  [['order.*'], 'order.item.added', true],
  [['order.*'], 'order', false],
  [['order.*'], 'order.', false],
  [['order.*'], 'orders.paid', false],
  [['user.*', 'order.paid'], 'order.paid', true],
  [['user.*', 'order.paid'], 'order.refunded', false],
  [[], 'order.paid', false],
])('patterns %j and the type %s: %s', (patterns, type, matches) => {
  expect(matchesEventType(patterns, type)).toBe(matches);
});

test.each(['order', 'order.paid', 'order.item.added', 'a..b', 'order.', '.order'])(
  'the patterns of %s are all that match it',
  (type) => {
    const candidates = [
      '*',
      'order',
      'order.*',
      'order.paid',
      'order.item.*',
      'order.item.added',
      'a.*',
      'a..*',
      'a..b',
      '.*',
      'order.',
      'order.paid.*',
      '.order',
      'b.*',
    ];
    const matching = candidates.filter((pattern) => matchesEventType([pattern], type));
    expect(candidates.filter((pattern) => patternsMatching(type).includes(pattern))).toEqual(matching);
  },
);
