import { expect, test } from 'vitest';
import { HOSTILE } from '../../../bench/schemas/hostile.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { type Caller, createAction, invoke } from '../invocations/support.ts';

/**
 * Over HTTP: a workspace validates its hostile schemas, and its neighbour is answered between them. Compared is the order of
 * the answers, because a busy machine makes all of them slow.
 */

/** Half a second of a thread each. Without fair turns the neighbour's few calls would wait for all of them. */
const HOSTILE_AT_ONCE = 20;
/** Not cheap, so that the neighbour needs a thread too. */
const IN_A_THREAD: JsonObject = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } };

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { development } = await service.database.anotherWorkspace();
const { key } = await service.createKey(development);
const neighbour: Caller = {
  post: (path, body, headers = {}) => service.call('POST', path, { key, body, headers }),
  get: (path) => service.call('GET', path, { key }),
};

test('a neighbour reads, and invokes what a thread validates, before the hostile validations are answered', async () => {
  const nests = HOSTILE['deep nests of anyOf'];
  if (nests === undefined) throw new Error('the hostile schema is gone');
  const url = `${target.baseUrl}/ok`;
  const hostile = await createAction(service, { url }, { inputSchema: nests.schema, governed: false });
  const own = await createAction(neighbour, { url }, { inputSchema: IN_A_THREAD, governed: false });

  let answered = 0;
  const validations = Array.from({ length: HOSTILE_AT_ONCE }, async () => {
    const { status } = await service.post(`/api/v2/actions/${hostile}/invoke`, { input: nests.input });
    answered++;
    return status;
  });
  try {
    // One is answered: the others wait for threads, or have one.
    await expect.poll(() => answered).toBeGreaterThan(0);
    expect((await neighbour.get(`/api/v2/actions/${own}`)).status).toBe(200);
    expect(answered).toBeLessThan(HOSTILE_AT_ONCE);
    const { invocation } = await invoke(neighbour, own, { input: { list: [1, 2, 3] } });
    expect(answered).toBeLessThan(HOSTILE_AT_ONCE);
    expect(invocation.status).toBe('succeeded');
  } finally {
    await Promise.allSettled(validations);
  }
  const statuses = await Promise.all(validations);
  expect(statuses.filter((status) => status < 400)).toEqual([]);
});
