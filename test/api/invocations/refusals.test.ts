import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, dataOf, invocationIn, invocationsIn, invoke, type Invocation } from './support.ts';

/** The machine-readable reason why an invocation was not carried out, failed, or is unknown. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const NOBODY_LISTENS = 'http://127.0.0.1:9/orders';

async function invoked(config: object, overrides: object = {}, input: object = {}): Promise<Invocation> {
  const name = await createAction(service, { ...config }, { ...overrides });
  return (await invoke(service, name, { input: { ...input } })).invocation;
}

const withStatus = (status: number): object => ({ url: `${target.baseUrl}/status?status=${status}` });
const units = (path: string): object => ({
  impact: [{ dimension: 'refusal_units', amount: { path }, bound: 'exact' }],
});

describe('the code of an invocation that', () => {
  test('the provider rejected: the message is the error, and a new run names this one', async () => {
    const invocation = await invoked(withStatus(422));
    expect(invocation.refusal).toEqual({ code: 'provider_rejected', message: invocation.error, details: {} });
    expect(invocation.nextStep).toContain(`retryOf ${invocation.id}`);
  });

  test('was provably not sent', async () => {
    const { refusal, error, status } = await invoked({ url: NOBODY_LISTENS });
    expect({ status, refusal }).toMatchObject({ status: 'failed', refusal: { code: 'not_sent', message: error } });
  });

  test('nobody answered: when its provider is read next, or who finds out', async () => {
    const governed = await invoked({ url: `${target.baseUrl}/reset` });
    expect(governed.refusal).toMatchObject({ code: 'no_usable_answer', message: governed.error });
    expect(governed.nextStep).toMatch(/^Do not run it again: the service reads/);
    expect(governed.nextStep).toContain(`/effects/${governed.effectId}/resolve`);
    const plain = await invoked({ url: `${target.baseUrl}/reset` }, { governed: false });
    expect(plain.refusal).toEqual({ code: 'no_usable_answer', message: plain.error, details: {} });
    expect(plain.nextStep).toMatch(/^Do not run it again: ask a person/);
    const next = z.object({ resumeAt: z.iso.datetime() });
    await expect
      .poll(async () => {
        const again = invocationIn(await service.get(`/api/v2/actions/invocations/${governed.id}`));
        return next.safeParse(again.refusal?.details).success || again.status;
      })
      .toBe(true);
  });

  test('a person resolved as failed', async () => {
    const { id } = await invoked({ url: `${target.baseUrl}/reset` }, { governed: false });
    const { key } = await service.createKey(service.database.tenant);
    const body = { outcome: 'failed', evidence: { summary: 'looked it up' } };
    const reply = await service.call('POST', `/api/v2/actions/invocations/${id}/resolve`, { key, body });
    expect(invocationIn(reply)).toMatchObject({
      refusal: { code: 'resolved_as_failed', message: 'resolved as failed: looked it up' },
      nextStep: expect.stringContaining('resolution'),
    });
  });

  test('has an amount without a bound: what to mend, by its path', async () => {
    const { refusal, error } = await invoked(withStatus(200), units('input.amount'), { amount: -1 });
    expect(refusal?.details).toEqual({ issues: [{ path: 'input.amount', message: 'input.amount is negative' }] });
    expect(error).toBe(`dispatch refused (impact_unbounded): ${refusal?.message}`);
  });

  test('a limit stopped: which one, what is left, and when the next period begins', async () => {
    const limit = { dimension: 'refusal_units', cap: 5, period: 'day' };
    const made = await service.post('/api/v2/impact-limits', { name: 'Daily refusal units', ...limit });
    const { id } = dataOf(made, z.object({ id: z.string() }));
    const { refusal, nextStep } = await invoked(withStatus(200), units('input.amount'), { amount: 6 });
    expect(refusal).toMatchObject({
      code: 'impact_limit_exceeded',
      details: { limitId: id, limitIds: [id], available: 5, requested: 6 },
    });
    const resumeAt = new Date(refusal?.details.resumeAt ?? '');
    expect([resumeAt.getTime() > Date.now(), resumeAt.getUTCHours(), resumeAt.getUTCMinutes()]).toEqual([true, 0, 0]);
    expect(nextStep).toContain(`Wait until ${resumeAt.toISOString()}`);
    expect(nextStep).toContain(id);
  });

  test('a destination outside the action stopped, before it is tried', async () => {
    const url = 'http://127.0.0.1:9/{{input.path}}';
    const { refusal } = await invoked({ url, allowedHosts: ['api.example.com'] }, {}, { path: 'x' });
    expect(refusal).toMatchObject({ code: 'destination_blocked', details: { host: '127.0.0.1:9' } });
  });

  test('a person denied', async () => {
    const name = await createAction(service, { ...withStatus(200) }, { approval: { required: true } });
    const { status, invocation } = await invoke(service, name);
    expect([status, invocation.refusal]).toEqual([202, null]);
    expect(invocation.nextStep).toMatch(new RegExp(`^Ask a person to decide approval ${invocation.approvalId}`));
    const { key } = await service.createKey(service.database.tenant);
    const body = { note: 'Not this one.' };
    await service.call('POST', `/api/v2/approvals/${invocation.approvalId}/deny`, { key, body });
    expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`))).toMatchObject({
      status: 'denied',
      refusal: { code: 'approval_denied', details: { approvalId: invocation.approvalId } },
      nextStep: expect.stringMatching(/^Do not ask for the same again/),
    });
  });
});

test('a success has neither, and a list shows the same as the one record', async () => {
  expect(await invoked(withStatus(200))).toMatchObject({ status: 'succeeded', refusal: null, nextStep: null });
  const [failed] = invocationsIn(await service.get('/api/v2/actions/invocations?status=failed&limit=1'));
  const { refusal, nextStep } = invocationIn(await service.get(`/api/v2/actions/invocations/${failed?.id}`));
  expect([failed?.refusal, failed?.nextStep]).toEqual([refusal, nextStep]);
  expect(refusal).not.toBeNull();
});

test('the database keeps a code under exactly the statuses that it explains', async () => {
  const { id } = await invoked(withStatus(422));
  const set = (change: string) => service.database.asOwner(`UPDATE invocations SET ${change} WHERE id = $1`, [id]);
  await expect(set('refusal_code = NULL, refusal_details = NULL')).rejects.toThrow(/invocations_refusal_check/);
  await expect(set('refusal_details = NULL')).rejects.toThrow(/invocations_refusal_check/);
  const succeeded = await invoked(withStatus(200));
  await expect(
    service.database.asOwner(`UPDATE invocations SET refusal_code = 'not_sent', refusal_details = '{}' WHERE id = $1`, [
      succeeded.id,
    ]),
  ).rejects.toThrow(/invocations_refusal_check/);
});
