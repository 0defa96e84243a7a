import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { withTimeSkippingServer } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

let environment: TestWorkflowEnvironment;
withTimeSkippingServer((started) => (environment = started));

test('an area that cannot be swept is tried three times, fails alone, and is named in the result', async () => {
  const tries: Record<string, number> = {};
  const { activities } = doubles({
    listSweepAreas: () => Promise.resolve(['first', 'broken', 'last']),
    sweepArea: (name) => {
      tries[name] = (tries[name] ?? 0) + 1;
      if (name === 'broken') return Promise.reject(new Error('its rows cannot be read'));
      return Promise.resolve({ seen: 4, failed: 1 });
    },
  });
  expect(await runWorkflow(environment, 'sweepMaintenance', [], activities)).toEqual({
    first: { seen: 4, failed: 1 },
    broken: { broken: 'its rows cannot be read' },
    last: { seen: 4, failed: 1 },
  });
  expect(tries).toEqual({ first: 1, broken: 3, last: 1 });
});
