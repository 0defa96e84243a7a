import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listedEffectSchema } from '../../../api/effects/schemas.ts';
import { LISTED_RECORDS_MAX } from '../../../db/effects/queries.ts';
import { READS_PER_EFFECT_MAX } from '../../../domain/reconciliation/reads.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { dataOf, effectIn, errorOf, invocationIn, invoke, createAction } from '../invocations/support.ts';
import { tamper } from '../previews/support.ts';
import { unknownOf } from './support.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

let orders = 0;
/** The provider has the effect, and its answer was lost. A read will show `state`. */
async function lostOrder(state: string) {
  const id = `order-now-${++orders}`;
  return unknownOf(
    service,
    { url: `${target.baseUrl}/orders?answer=500&state=${state}`, body: { id } },
    {
      verify: {
        request: { method: 'GET', url: `${target.baseUrl}/orders/${id}` },
        expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
        pending: [{ path: 'body.state', op: 'eq', value: 'processing' }],
      },
    },
  );
}
const reconcile = (id: string) => service.post(`/api/v2/actions/effects/${id}/reconcile`, undefined);
const workflowOf = (id: string) => service.client.workflow.getHandle(`reconcile/${id}`);

const progressOf = async (id: string) => effectIn(await service.get(`/api/v2/actions/effects/${id}`)).reconciliation;

/** The audit entries of who asked for a read of this effect. */
const requestsOf = (effectId: string) =>
  service.database.asOwner(
    `SELECT actor_type, details FROM audit_log WHERE action = 'effect.reconciliation_requested' AND target_id = $1 ORDER BY sequence`,
    [effectId],
  );

/** An effect whose schedule is exhausted and whose workflow has ended. */
async function exhaust(effectId: string): Promise<void> {
  // It has planned its next read; otherwise the termination could leave a write that overwrites ours.
  await expect.poll(async () => (await progressOf(effectId)).nextAt).not.toBeNull();
  await workflowOf(effectId).terminate('exhausted by a test');
  await service.database.asOwner(
    'UPDATE effects SET reconcile_exhausted = true, reconcile_next_at = NULL WHERE id = $1',
    [effectId],
  );
}

describe('POST /actions/effects/{id}/reconcile', () => {
  test('reads at once and answers the effect as it is after that read', async () => {
    const { effect, invocation } = await lostOrder('done');
    const reply = await reconcile(effect.id);
    expect(reply.status, reply.text).toBe(200);
    const read = effectIn(reply);
    expect(read).toMatchObject({
      stage: 'settled',
      outcome: 'succeeded',
      grade: 'confirmed',
      verification: 'provider',
      reconciliation: { nextAt: null, exhausted: false },
    });
    expect(read.reconciliation.attempts).toBe(read.attempts.filter(({ kind }) => kind === 'reconcile').length);
    expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`)).grade).toBe('confirmed');
    expect(await workflowOf(effect.id).result()).toMatchObject({ grade: 'confirmed' });
    // And never again: nothing is left to find out.
    const again = await reconcile(effect.id);
    expect([again.status, errorOf(again).code]).toEqual([409, 'CONFLICT']);
    expect(await requestsOf(effect.id)).toEqual([{ actor_type: 'api_key', details: { exhausted: false } }]);
  });

  test('a read that proves nothing leaves it unknown, read once more, and on its schedule', async () => {
    const { effect } = await lostOrder('odd');
    const first = effectIn(await reconcile(effect.id));
    expect(first).toMatchObject({
      outcome: 'unknown',
      unresolvedExposure: false,
      reconciliation: { exhausted: false },
    });
    const second = effectIn(await reconcile(effect.id));
    expect(second.reconciliation.attempts).toBeGreaterThan(first.reconciliation.attempts);
    await expect.poll(async () => (await progressOf(effect.id)).nextAt).not.toBeNull();
  });

  test('twenty at once: each is answered by a read that began after it was asked for', async () => {
    const { effect } = await lostOrder('odd');
    const replies = await Promise.all(Array.from({ length: 20 }, () => reconcile(effect.id)));
    // A workflow takes no more than ten Updates at once. The other callers are asked to retry.
    expect(replies.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  });

  test('begins again what was exhausted, reads once, and leaves it exhausted where it proves nothing', async () => {
    const { effect } = await lostOrder('odd');
    await exhaust(effect.id);
    const reply = effectIn(await reconcile(effect.id));
    expect(reply).toMatchObject({ outcome: 'unknown', reconciliation: { exhausted: true, nextAt: null } });
    expect(reply.attempts.at(-1)).toMatchObject({ kind: 'reconcile', status: 'completed' });
    expect(await requestsOf(effect.id)).toEqual([{ actor_type: 'api_key', details: { exhausted: true } }]);
    expect(await workflowOf(effect.id).result()).toMatchObject({ stage: 'reconciling' });
  });

  test('a receipt of three hundred reads takes no more on request, and a list shows the newest attempts alone', async () => {
    const { effect } = await lostOrder('odd');
    await exhaust(effect.id);
    await tamper(
      service,
      `INSERT INTO attempts (id, environment_id, invocation_id, number, kind, status, claimed_at, observed_outcome, finished_at)
       SELECT effect_id || n, environment_id, id, 1000 + n, 'reconcile', 'completed', now(), 'unknown', now()
       FROM invocations, generate_series(1, ${READS_PER_EFFECT_MAX}) n WHERE effect_id = '${effect.id}'`,
    );
    const reply = await reconcile(effect.id);
    expect([reply.status, errorOf(reply).code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(await requestsOf(effect.id)).toEqual([]);
    const whole = effectIn(await service.get(`/api/v2/actions/effects/${effect.id}`)).attempts;
    expect(whole.length).toBeGreaterThan(READS_PER_EFFECT_MAX);
    const listed = dataOf(await service.get('/api/v2/actions/effects?limit=100'), z.array(listedEffectSchema));
    const shown = listed.find(({ id }) => id === effect.id);
    expect(shown?.attempts).toEqual(whole.slice(-LISTED_RECORDS_MAX));
    expect(shown?.attemptsCount).toBe(whole.length);
  });

  test('begins again what was exhausted, and waits for what the provider is at now', async () => {
    const { effect } = await lostOrder('processing');
    await exhaust(effect.id);
    expect(effectIn(await reconcile(effect.id))).toMatchObject({ stage: 'reconciling', outcome: 'pending' });
    await expect
      .poll(() => progressOf(effect.id))
      .toMatchObject({ exhausted: false, nextAt: expect.any(String) as string });
  });

  test('409 for what is settled, 404 for what is not there', async () => {
    const { invocation } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
    expect((await reconcile(invocation.effectId ?? '')).status).toBe(409);
    expect((await reconcile('eff_0000000000000000000001')).status).toBe(404);
  });
});
