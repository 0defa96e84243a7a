import { activityInfo } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { HEARTBEAT_TIMEOUT_MS } from '../../../domain/heartbeats.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

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

test('a worker that dies in an area is noticed by its missing heartbeat, before the next sweep is due', async () => {
  const { activities } = doubles({
    listSweepAreas: () => Promise.resolve(['one']),
    sweepArea: () => Promise.resolve({ seen: activityInfo().heartbeatTimeoutMs ?? 0, failed: 0 }),
  });
  expect(await runWorkflow(environment, 'sweepMaintenance', [], activities)).toEqual({
    one: { seen: HEARTBEAT_TIMEOUT_MS, failed: 0 },
  });
});
