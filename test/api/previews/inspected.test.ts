import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { everyRow } from '../../harness/every-row.ts';
import { startFakeStripe } from '../../harness/providers/fake-stripe.ts';
import { startTestService } from '../../harness/service.ts';
import { previewWorkflowId } from '../../../temporal/previews/observe-preview.ts';
import { effectOf, errorOf, invoke } from '../invocations/support.ts';
import { preview, previewIn, readPreview } from './support.ts';
import { countRows } from '../harness/count-rows.ts';

/** Previews with an adapter that reads the provider: `stripe.refund`, against a fake Stripe over real HTTP. */
afterAll(async () => {
  await stripe.close();
});

const ACTION = 'refund';
const putSecret = (name: string, value: string) =>
  service.call('PUT', `/api/v2/secrets/${name}`, { key: service.key, body: { value } });

const stripe = await startFakeStripe();
const service = await startTestService({ providers: { stripeBaseUrl: stripe.baseUrl } });
await putSecret('stripe_key', stripe.testKey);
const reply = await service.post('/api/v2/actions', {
  name: ACTION,
  adapter: { type: 'stripe.refund', config: { mode: 'test', secret: 'stripe_key' } },
  // The currency is declared, so that the impact is known before the provider is read.
  impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
});
if (reply.status !== 201) throw new Error(reply.text);
const asked = (): JsonObject & { input: { payment_intent: string; amount: number } } => ({
  input: { payment_intent: stripe.pay(), amount: 1250 },
});
const rowsOf = (table: string): Promise<number> => countRows(service.database, table);

describe('a preview of what an adapter can inspect', () => {
  test('holds what was read from the provider, under which it is executed', async () => {
    const request = asked();
    const made = await preview(service, ACTION, request);
    expect(made.preconditions).toMatchObject({
      adapter: { paymentIntent: request.input.payment_intent, amountRefunded: 0, currency: 'usd', livemode: false },
    });
    expect(made.blocks.map((block) => block.title)).toContain('The payment at Stripe');
    expect(JSON.stringify(made.blocks)).toContain('Read from the provider at');
    expect(Date.parse(made.evidenceObservedAt)).toBeLessThanOrEqual(Date.parse(made.createdAt) + 5);
    expect(stripe.writes()).toEqual([]);
    expect(await rowsOf('preview_drafts')).toBe(0);

    const { invocation } = await invoke(service, ACTION, { ...request, previewId: made.id });
    expect(invocation).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    const effect = await effectOf(service, invocation);
    expect(stripe.refundsOf(effect.id)).toHaveLength(1);
    expect(stripe.writes().at(-1)?.body).toBe(made.request.body);
    expect(effect.bindingDigest).toBe(made.bindingDigest);
  });

  test("whose provider's record changed before the dispatch is refused with precondition_changed, and nothing is sent", async () => {
    const request = asked();
    const made = await preview(service, ACTION, request);
    await invoke(service, ACTION, { input: { ...request.input, amount: 700 } }); // someone else refunds a part of the payment
    const before = stripe.writes().length;
    const { invocation } = await invoke(service, ACTION, { ...request, previewId: made.id });
    expect(invocation).toMatchObject({
      status: 'refused',
      error: expect.stringMatching(/^dispatch refused \(precondition_changed\): .*amountRefunded/) as string,
    });
    expect(stripe.writes()).toHaveLength(before);
    const effect = await effectOf(service, invocation);
    expect(effect).toMatchObject({ grade: 'refused', rejectionReason: 'precondition_changed', previewId: made.id });
  });

  test('whose provider cannot be read again is refused, and nothing is sent', async () => {
    const request = asked();
    const made = await preview(service, ACTION, request);
    stripe.failReads('unavailable', 3);
    const before = stripe.writes().length;
    const { invocation } = await invoke(service, ACTION, { ...request, previewId: made.id });
    expect(invocation).toMatchObject({
      status: 'refused',
      error: expect.stringMatching(
        /^dispatch refused \(precondition_changed\): the provider could not be read/,
      ) as string,
    });
    expect(stripe.writes()).toHaveLength(before);
  });

  test('is refreshed with evidence that is read again', async () => {
    const request = asked();
    const old = await preview(service, ACTION, request);
    await invoke(service, ACTION, { input: { ...request.input, amount: 700 } });
    const made = previewIn(await service.post(`/api/v2/actions/previews/${old.id}/refresh`, {}));
    expect(made).toMatchObject({ supersedes: old.id, preconditions: { adapter: { amountRefunded: 700 } } });
    expect(made.bindingDigest).not.toBe(old.bindingDigest);
    const { invocation } = await invoke(service, ACTION, { ...request, previewId: made.id });
    expect(invocation.status).toBe('succeeded');
  });

  test('is 503 where the provider cannot be read, and nothing of it stays', async () => {
    const before = [await rowsOf('previews'), await rowsOf('preview_drafts')];
    const request = asked();
    stripe.failReads('unavailable', 2);
    const reply = await service.post(`/api/v2/actions/${ACTION}/previews`, request);
    expect(reply.status).toBe(503);
    expect(errorOf(reply)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('could not be read') as string,
    });
    expect([await rowsOf('previews'), await rowsOf('preview_drafts')]).toEqual(before);
    expect((await preview(service, ACTION, request)).id).toMatch(/^prv_/);
  });

  test('is read a second time where the first read fails', async () => {
    stripe.failReads('unavailable', 1);
    expect(await preview(service, ACTION, asked())).toMatchObject({ expired: false });
  });

  test('is 409 with the refusal where what was read forbids it, and where a secret is missing', async () => {
    const live = stripe.pay({ livemode: true, showsToAnyKey: true });
    const mode = await service.post(`/api/v2/actions/${ACTION}/previews`, {
      input: { payment_intent: live, amount: 5 },
    });
    expect(mode.status).toBe(409);
    expect(errorOf(mode)).toMatchObject({ code: 'CONFLICT', details: { refusal: { code: 'mode_mismatch' } } });
    await service.post('/api/v2/actions', {
      name: 'refund.without',
      adapter: { type: 'stripe.refund', config: { mode: 'test', secret: 'nobody' } },
    });
    const reads = stripe.requests.length;
    const missing = await service.post('/api/v2/actions/refund.without/previews', asked());
    expect(errorOf(missing)).toMatchObject({ code: 'CONFLICT', details: { refusal: { code: 'secret_missing' } } });
    expect(stripe.requests).toHaveLength(reads);
    expect(await rowsOf('preview_drafts')).toBe(0);
  });

  test('asked twice under one Idempotency-Key is one preview', async () => {
    const request = asked();
    const ask = () =>
      service.post(`/api/v2/actions/${ACTION}/previews`, request, { 'Idempotency-Key': 'preview-once' });
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(previewIn(second).id).toBe(previewIn(first).id);
  });

  test('sweeps the drafts of processes that died', async () => {
    await service.database.asOwner(
      `INSERT INTO preview_drafts (id, environment_id, version_id, invocation_id, effect_id, operation_key, input, created_at)
       SELECT 'prv_' || n, $1, (SELECT id FROM action_versions LIMIT 1), 'inv_x', 'eff_x', 'x', '{}', now() - make_interval(mins => n)
       FROM unnest(ARRAY[5, 11, 60]) AS n`,
      [service.database.tenant.environmentId],
    );
    await preview(service, ACTION, asked());
    const left = await service.database.asOwner<{ id: string }>('SELECT id FROM preview_drafts');
    expect(left).toEqual([{ id: 'prv_5' }]);
    await service.database.asOwner('DELETE FROM preview_drafts');
  });
});

describe('a credential', () => {
  test('is in no preview: not in its row, its reply, its histories or a log', async () => {
    const value = 'sk_test_odd0enough0to0stand0nowhere0by0chance';
    await putSecret('stripe_key', value);
    const request = asked();
    // The payment's own record contains the credential, as a provider that echoes it would return.
    const echoing = stripe.pay({ status: `requires ${value}` });
    const made = await preview(service, ACTION, request);
    const second = await preview(service, ACTION, { input: { payment_intent: echoing, amount: 5 } });
    expect(JSON.stringify(second)).toContain('[REDACTED]');
    const { invocation } = await invoke(service, ACTION, { ...request, previewId: made.id });
    expect(invocation.status).toBe('succeeded');
    expect(stripe.requests.some(({ headers }) => headers.authorization === `Bearer ${value}`)).toBe(true);
    const workflowIds = [made.id, second.id].map(previewWorkflowId);
    const histories = await Promise.all(
      [...workflowIds, `invocation/${invocation.id}`].map((id) => service.client.workflow.getHandle(id).fetchHistory()),
    );
    const places: Record<string, string[]> = {
      replies: [JSON.stringify(await readPreview(service, made.id)), JSON.stringify(second)],
      rows: await everyRow(service.database),
      histories: histories.map((history) => JSON.stringify(history.events?.map(readable))),
      logs: [...service.logLines, ...service.workerLogLines],
    };
    for (const [place, texts] of Object.entries(places)) {
      expect(texts.length, place).toBeGreaterThan(0);
      expect(
        texts.filter((text) => text.includes(value)),
        place,
      ).toEqual([]);
    }
    // Nor an input: a history contains only ids.
    expect(places['histories']?.filter((text) => text.includes(request.input.payment_intent))).toEqual([]);
  });
});

/** Payloads as text, so that they can be searched. */
function readable(event: object): string {
  return JSON.stringify(event, (_, value: unknown) =>
    value instanceof Uint8Array
      ? Buffer.from(value).toString('utf8')
      : typeof value === 'bigint'
        ? String(value)
        : value,
  );
}
