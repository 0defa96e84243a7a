import { expect, it } from 'vitest';
import { isOfTotals, OPEN_DIMENSIONS, SQL_OF_GROUP } from '../../../domain/analytics/kinds.ts';
import { METRICS, SQL_OF_REFUSAL } from '../../../domain/analytics/metrics.ts';

/** Totals have no open dimension: who reads one of them there would find it empty. */

it.each(Object.entries(SQL_OF_GROUP))(
  '%s: a group is read from totals unless it is of an open dimension',
  (kind, groups) => {
    for (const [name, sql] of Object.entries(groups)) {
      const open: readonly string[] = OPEN_DIMENSIONS[kind as keyof typeof OPEN_DIMENSIONS];
      const isOpen = open.some((dimension) => sql.includes(dimension));
      expect([name, isOfTotals({ [kind]: sql })]).toEqual([name, !isOpen]);
    }
  },
);

it.each([
  ['all of a kind', { 'invocations.ended': `''` }, true],
  ['its closed dimension', { 'messages.ended': `CASE WHEN d2 <> 'event' THEN d1 END` }, true],
  ['its open one', { 'messages.ended': 'd3' }, false],
  ['its open one by the name of the table', { 'delivery.attempts': 'true AND r.d2 = :url' }, false],
  ['refusals', { 'invocations.ended': SQL_OF_REFUSAL }, true],
  ['several kinds, one of an open one', { 'invocations.ended': `''`, 'effects.graded': 'd2' }, false],
  ['a metric of agents', { [METRICS.cost.kind]: METRICS.cost.groups.agent }, false],
])('%s', (_, terms, isOf) => {
  expect(isOfTotals(terms)).toBe(isOf);
});
