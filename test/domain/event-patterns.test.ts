import { expect, test } from 'vitest';
import { matchesEventType } from '../../domain/events/events.ts';

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
