import { afterAll, describe, expect, test } from 'vitest';
import { settle } from '../../../activities/invocations/settle-invocation.ts';
import { appendEvidence } from '../../../db/effects/evidence.ts';
import { lockInvocationWork } from '../../../db/invocations/locks.ts';
import { startFakeStripe } from '../../harness/providers/fake-stripe.ts';
import { startTestService } from '../../harness/service.ts';
import { effectIn, type Effect, errorOf, invocationIn, invoke } from '../invocations/support.ts';
import { operatorOf } from './support.ts';

/** The chain from the sweep to the provider, without a caller: over real HTTP, with the fake Stripe. */
const stripe = await startFakeStripe();
const service = await startTestService({ providers: { stripeBaseUrl: stripe.baseUrl } });
await service.call('PUT', '/api/v2/secrets/STRIPE', { key: service.key, body: { value: stripe.testKey } });
const made = await service.post('/api/v2/actions', {
  name: 'refund.create',
  adapter: { type: 'stripe.refund', config: { mode: 'test', secret: 'STRIPE' } },
});
if (made.status !== 201) throw new Error(made.text);
afterAll(async () => {
  await stripe.close();
});

async function refund(): Promise<Effect> {
  const { invocation } = await invoke(service, 'refund.create', {
    input: { payment_intent: stripe.pay(), amount: 500 },
  });
  return now(invocation.effectId ?? '');
}
const now = async (id: string): Promise<Effect> => effectIn(await service.get(`/api/v2/actions/effects/${id}`));
const overdue = (id: string) =>
  service.database.asOwner(
    `UPDATE effects SET reconcile_next_at = now() - interval '1 hour', updated_at = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );
let sweeps = 0;
const sweep = () =>
  service.client.workflow.execute('sweepMaintenance', {
    workflowId: `sweep/${service.taskQueue}/${++sweeps}`,
    taskQueue: service.taskQueue,
    args: [],
  });

describe('the sweep', () => {
  test('has what succeeded read on, and finds a refund that failed after all', async () => {
    const effect = await refund();
    expect(effect).toMatchObject({ outcome: 'succeeded', capabilities: { reversible: true } });
    expect(effect.reconciliation.nextAt).not.toBeNull();
    for (const made of stripe.refundsOf(effect.id)) made.status = 'failed';
    await overdue(effect.id);
    await sweep();
    await expect.poll(async () => (await now(effect.id)).outcome).toBe('failed');
    const reversed = await now(effect.id);
    expect(reversed).toMatchObject({
      stage: 'settled',
      grade: 'failed',
      verification: 'provider',
      reconciliation: { nextAt: null },
    });
    expect(reversed.evidence.at(-1)?.summary).toContain('reversed by the provider after it had succeeded');
    const invocation = invocationIn(await service.get(`/api/v2/actions/invocations/${effect.invocationId}`));
    expect(invocation).toMatchObject({ status: 'failed', grade: 'failed' });
    expect(stripe.refundsOf(effect.id)).toHaveLength(1);
  });

  test('takes up a reconciliation again that was terminated', async () => {
    stripe.failNext('two_matches');
    const effect = await refund();
    expect(effect.outcome).toBe('unknown');
    const handle = () => service.client.workflow.getHandle(`reconcile/${effect.id}`);
    // It has planned its next read; otherwise the termination could leave a write that overwrites ours.
    await expect.poll(async () => (await now(effect.id)).reconciliation.nextAt).not.toBeNull();
    await handle().terminate('by a test');
    await overdue(effect.id);
    await sweep();
    await expect.poll(async () => (await handle().describe()).status.name).toBe('RUNNING');
    await expect
      .poll(async () => Date.parse((await now(effect.id)).reconciliation.nextAt ?? ''))
      .toBeGreaterThan(Date.now() - 60_000);
    const query = `WorkflowType = 'reconcileEffect' AND Grade = 'unknown' AND ExecutionStatus = 'Running' AND EffectId = '${effect.id}'`;
    await expect.poll(async () => (await service.client.workflow.count(query)).count).toBe(1);
  });
});

test('a replay at Stripe gives the answer again that was lost, and makes no second refund', async () => {
  stripe.failNext('lose_reply');
  const effect = await refund();
  const operator = await operatorOf(service);
  expect(effect.outcome).toBe('unknown');
  const reply = effectIn(await operator.post(`/api/v2/actions/effects/${effect.id}/replay`));
  expect(reply).toMatchObject({
    outcome: 'succeeded',
    attempts: expect.arrayContaining([
      expect.objectContaining({ kind: 'replay', observedOutcome: 'succeeded' }),
    ]) as unknown,
  });
  expect(stripe.refundsOf(effect.id)).toHaveLength(1);
});

describe('two refunds under one effect id', () => {
  const reconcile = async (id: string) =>
    effectIn(await service.post(`/api/v2/actions/effects/${id}/reconcile`, undefined));

  /** The first dispatch is answered after all. */
  async function answerLate(effect: Effect): Promise<void> {
    await service.database.db.withEnvironment(service.database.tenant, async (tx) => {
      const work = await lockInvocationWork(tx, effect.invocationId);
      if (!work) throw new Error('gone');
      await appendEvidence(tx, {
        effectId: effect.id,
        source: 'provider_response',
        observedAt: new Date(),
        impliedOutcome: 'succeeded',
        summary: 'the answer came late',
        actor: { type: 'service', id: null },
      });
      await settle(tx, work);
    });
  }

  test('stay unknown until a person says which: no late answer, no later read and no replay settles it', async () => {
    stripe.failNext('two_matches');
    const { id } = await refund();
    const twice = await reconcile(id);
    expect(twice).toMatchObject({ outcome: 'unknown', partialEffect: 'possible' });
    expect(twice.evidence.at(-1)).toMatchObject({ summary: expect.stringContaining('2 refunds') as string });
    const operator = await operatorOf(service);
    const sent = stripe.writes().length;
    const replayed = await operator.post(`/api/v2/actions/effects/${id}/replay`);
    expect([replayed.status, errorOf(replayed).code, errorOf(replayed).message]).toEqual([
      409,
      'CONFLICT',
      expect.stringContaining('more than one record') as string,
    ]);
    // Somebody removed one at the provider, so a read finds one match. No read can say which of the two it was.
    const copy = stripe.refundsOf(id)[1];
    if (copy === undefined) throw new Error('the fake made no copy');
    stripe.refunds.splice(stripe.refunds.indexOf(copy), 1);
    const once = await reconcile(id);
    expect(once.evidence.at(-1)).toMatchObject({ source: 'provider_lookup', impliedOutcome: 'succeeded' });
    expect(once).toMatchObject({ stage: 'reconciling', outcome: 'unknown' });
    await answerLate(once);
    expect(await now(id)).toMatchObject({ stage: 'reconciling', outcome: 'unknown', grade: 'unknown' });
    expect((await operator.post(`/api/v2/actions/effects/${id}/replay`)).status).toBe(409);
    expect(stripe.writes()).toHaveLength(sent);
    const body = { outcome: 'succeeded', evidence: { summary: 'seen in the dashboard' } };
    expect(effectIn(await operator.post(`/api/v2/actions/effects/${id}/resolve`, body))).toMatchObject({
      outcome: 'succeeded',
      verification: 'manual',
    });
  });
});

describe('an invocation that was previewed, and then waited for another effect', () => {
  /** As hours later: what was read at the admission is old. */
  const age = (invocationId: string) =>
    service.database.asOwner(
      `SET session_replication_role = 'replica';
       UPDATE observations SET observed_at = observed_at - interval '3 hours' WHERE invocation_id = '${invocationId}'`,
    );

  test.each<[string, boolean, object]>([
    ['is sent where the payment is as it was', false, { status: 'succeeded', grade: 'confirmed' }],
    [
      'is refused where the payment is another by then, and nothing is sent',
      true,
      {
        status: 'refused',
        error: expect.stringContaining('dispatch refused (precondition_changed)') as string,
      },
    ],
  ])('%s', async (_, isRefundedMeanwhile, expected) => {
    stripe.failNext('two_matches');
    const [first, operator] = [await refund(), await operatorOf(service)];
    const input = { payment_intent: stripe.pay(), amount: 500 };
    const asked = { input, dependsOn: [first.id] };
    const preview = await service.post('/api/v2/actions/refund.create/previews', asked);
    expect(preview.status, preview.text).toBe(201);
    const previewId = (preview.json as { data: { id: string } }).data.id;
    const { invocation } = await invoke(service, 'refund.create', { ...asked, previewId });
    expect(invocation).toMatchObject({ status: 'queued' });
    if (isRefundedMeanwhile) await invoke(service, 'refund.create', { input: { ...input, amount: 1 } });
    await age(invocation.id);
    const resolution = { outcome: 'succeeded', evidence: { summary: 'seen in the dashboard' } };
    expect((await operator.post(`/api/v2/actions/effects/${first.id}/resolve`, resolution)).status).toBe(200);
    const read = async () => invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`));
    await expect.poll(read).toMatchObject(expected);
    const { effectId } = await read();
    expect(stripe.refundsOf(effectId ?? '')).toHaveLength(isRefundedMeanwhile ? 0 : 1);
  });
});
