import { expect, test } from 'vitest';
import { differingRelation, NO_RELATIONS } from '../../domain/relations.ts';

test.each([
  [{}, {}, null],
  [{ retryOf: 'inv_1' }, {}, 'retryOf'],
  [{ compensates: 'eff_1' }, { compensates: 'eff_2' }, 'compensates'],
  [{ dependsOn: ['eff_1', 'eff_2'] }, { dependsOn: ['eff_2', 'eff_1'] }, null],
  [{ dependsOn: ['eff_1'] }, { dependsOn: ['eff_1', 'eff_2'] }, 'dependsOn'],
  [{ dependsOn: ['eff_1', 'eff_2'] }, { dependsOn: ['eff_1', 'eff_3'] }, 'dependsOn'],
  [{}, { dependsOn: ['eff_1'] }, 'dependsOn'],
])('%j and %j: %s', (left, right, differing) => {
  expect(differingRelation({ ...NO_RELATIONS, ...left }, { ...NO_RELATIONS, ...right })).toBe(differing);
});
