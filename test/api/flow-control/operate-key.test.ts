import { expect, test } from 'vitest';
import { keySchema } from '../../../api/flow-control/schemas.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);

const LIMITS = { rate: 10, periodSeconds: 60, parallelism: 5 };

test('an operation that changes nothing leaves the key as it was and no audit entry', async () => {
  const made = await api.call('POST', '/api/v2/flow-control', { key, body: { key: 'crm.example', ...LIMITS } });
  const { id } = dataOf(made, keySchema);
  const operate = async (method: string, operation: string, body: object = {}) =>
    dataOf(await api.call(method, `/api/v2/flow-control/${id}${operation}`, { key, body }), keySchema);
  const entries = async () => {
    const rows = await api.database.asOwner<{ action: string }>(
      'SELECT action FROM audit_log WHERE target_id = $1 ORDER BY sequence OFFSET 1',
      [id],
    );
    return rows.map(({ action }) => action.replace('flow_control_key.', ''));
  };
  const leftNothing = [
    ['POST', '/resume'],
    ['POST', '/unpin'],
    ['PATCH', ''],
    ['PATCH', '', LIMITS],
  ] as const;
  for (const [method, operation, body] of leftNothing) {
    expect((await operate(method, operation, body)).updatedAt).toBe(dataOf(made, keySchema).updatedAt);
  }
  expect(await entries()).toEqual([]);

  const changes = [
    ['POST', '/pause'],
    ['POST', '/pin', { parallelism: 5 }],
    ['POST', '/pin'],
    ['PATCH', '', { parallelism: 6 }],
    ['PATCH', '', { rate: 10, periodSeconds: 61 }],
    ['PATCH', '', { rate: null }],
    ['POST', '/unpin', { rate: true }],
    ['POST', '/resume'],
  ] as const;
  for (const [method, operation, body] of changes) {
    const once = await operate(method, operation, body);
    expect(await operate(method, operation, body)).toEqual(once);
  }
  // Nobody can tell two resets from one: each begins a window.
  await operate('POST', '/reset-rate');
  await operate('POST', '/reset-rate');
  expect(await entries()).toEqual([
    'paused',
    'pinned',
    'pinned',
    'updated',
    'updated',
    'updated',
    'unpinned',
    'resumed',
    'rate_reset',
    'rate_reset',
  ]);
});
