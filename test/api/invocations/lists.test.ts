import { expect, test } from 'vitest';
import { z } from 'zod';
import { listedInvocationSchema } from '../../../api/invocations/schemas.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, dataOf, invocationIn, invoke } from './support.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const CHARACTERS = 3_000_000;

test('a list of large results answers with their beginnings, and the one record has its result whole', async () => {
  const url = `${target.baseUrl}/long?characters=${CHARACTERS}`;
  const action = await createAction(service, { url, maxResponseBytes: CHARACTERS + 1_000 });
  const ids: string[] = [];
  for (let count = 0; count < 6; count++) {
    const { status, invocation } = await invoke(service, action);
    expect([status, invocation.grade]).toEqual([200, 'acknowledged']);
    ids.push(invocation.id);
  }

  for (const path of ['/api/v2/actions/invocations', `/api/v2/actions/${action}/invocations`]) {
    const startedAt = performance.now();
    const page = await service.get(`${path}?limit=100`);
    const durationMs = performance.now() - startedAt;
    expect([page.status, page.text.length < 20_000, durationMs < 5_000]).toEqual([200, true, true]);
    const listed = dataOf(page, z.array(listedInvocationSchema));
    expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
    for (const { result } of listed) {
      expect(result).toEqual({
        truncated: true,
        bytes: expect.any(Number),
        preview: expect.stringMatching(/^\{.{1023}$/),
      });
      expect((result as { bytes: number }).bytes).toBeGreaterThan(CHARACTERS);
    }
  }
  const effects = await service.get('/api/v2/actions/effects?limit=100');
  expect([effects.status, effects.text.length < 40_000]).toEqual([200, true]);

  const whole = invocationIn(await service.get(`/api/v2/actions/invocations/${ids[0]}`));
  expect(whole.result).toMatchObject({ status: 200, body: { text: 'x'.repeat(CHARACTERS) } });
});

test('a small result is listed as it is', async () => {
  const action = await createAction(service, { url: `${target.baseUrl}/ok` });
  const { invocation } = await invoke(service, action);
  const page = await service.get(`/api/v2/actions/${action}/invocations`);
  expect(dataOf(page, z.array(listedInvocationSchema))).toMatchObject([
    { id: invocation.id, result: invocation.result },
  ]);
});
