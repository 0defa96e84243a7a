import { describe, expect, test, vi } from 'vitest';
import { markReconciliationExhausted } from '../../../db/effects/reconciliation.ts';
import { endApproval } from '../../../db/approvals/changes.ts';
import { lockApproval } from '../../../db/approvals/decisions.ts';
import { noteCrossing } from '../../../db/billing/directory.ts';
import { admitToBudget } from '../../../db/budgets/admission.ts';
import { putBudget } from '../../../db/budgets/budgets.ts';
import { recordMissed } from '../../../db/schedules/runs.ts';
import {
  NOTIFIED_EVENT_TYPES,
  PLATFORM_EVENT_TYPES,
  type PlatformEventType,
} from '../../../domain/events/event-types.ts';
import { PLATFORM_EVENTS } from '../../../domain/events/platform-events.ts';
import { draftOfEvent, NOT_GIVEN } from '../../../domain/notifications/draft-of-event.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { approvalsIn, approve, deny, keyClient } from '../approvals/support.ts';
import { createAction, invoke } from '../invocations/support.ts';
import { publish, startDestination } from '../messages/support.ts';
import { evidence, operatorOf, unknownOf } from '../reconciliation/support.ts';
import { outbox, type Raised, subscribeToService } from './support.ts';

/** Every type is raised by the operation that causes it. Nothing relays here, so all that was raised is in the outbox. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const destination = await startDestination();
await subscribeToService(service.database);

const BASE = '/api/v2';
const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const reply = await service.call(method, `${BASE}${path}`, {
    key: service.key,
    ...(body === undefined ? {} : { body }),
  });
  expect(reply.status, reply.text).toBeLessThan(300);
  return (reply.json as { data: Record<string, unknown> }).data;
};
const seen = new Set<string>();
const NOTIFIED: readonly string[] = NOTIFIED_EVENT_TYPES;

/** Does the work and waits until each of these types was raised, and no other. */
async function expectRaised(types: string[], work: () => Promise<unknown>): Promise<Raised[]> {
  const before = (await outbox(service.database)).length;
  await work();
  const raised = await vi.waitFor(
    async () => {
      const all = (await outbox(service.database)).slice(before);
      expect(all.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
      return all;
    },
    { timeout: PATIENCE_MS, interval: 100 },
  );
  for (const { type, data } of raised) {
    const declared = PLATFORM_EVENTS[type as keyof typeof PLATFORM_EVENTS];
    expect(declared.data.safeParse(data), `${type} ${JSON.stringify(data)}`).toMatchObject({ success: true });
    seen.add(type);
    const draft = draftOfEvent({ id: 'one', type: type as PlatformEventType, data, occurredAt: new Date() });
    expect(draft !== null, type).toBe(NOTIFIED.includes(type));
    expect(JSON.stringify(draft), type).not.toContain(NOT_GIVEN);
  }
  return raised;
}

describe('platform events', { timeout: TEST_TIMEOUT_MS }, () => {
  test('of actions', async () => {
    const raised = await expectRaised(['action.created', 'action.updated', 'action.archived'], async () => {
      const name = await createAction(service, { url: `${target.baseUrl}/echo` });
      await call('PATCH', `/actions/${name}`, {
        adapter: { type: 'http.request', config: { method: 'PUT', url: `${target.baseUrl}/echo` } },
      });
      await call('DELETE', `/actions/${name}`);
    });
    expect(raised.map(({ data }) => data['version'])).toEqual([1, 2, 2]);
  });

  test('of an invocation that succeeds, and of one that is refused', async () => {
    const name = await createAction(service, { url: `${target.baseUrl}/echo` });
    const [settled] = await expectRaised(['effect.settled', 'invocation.settled'], () => invoke(service, name));
    expect(settled).toMatchObject({ data: { action: name } });
  });

  test('of an outcome that nobody knows, that the reads do not find, and that a person resolves', async () => {
    const { effect } = await unknownAction();
    const { tenant } = service.database;
    await expectRaised(['effect.exhausted'], () =>
      service.deps.db.withEnvironment(tenant, (tx) => markReconciliationExhausted(tx, effect.id)),
    );
    const operator = await operatorOf(service);
    const raised = await expectRaised(['effect.resolved', 'effect.settled', 'invocation.settled'], () =>
      operator.post(`${BASE}/actions/effects/${effect.id}/resolve`, {
        outcome: 'succeeded',
        partialEffect: 'none',
        evidence,
      }),
    );
    expect(raised.find(({ type }) => type === 'effect.resolved')?.data['resolvedBy']).toMatchObject({
      type: 'api_key',
    });
  });

  async function unknownAction() {
    let made: Awaited<ReturnType<typeof unknownOf>> | undefined;
    await expectRaised(['action.created', 'effect.unknown'], async () => {
      made = await unknownOf(service, { url: `${target.baseUrl}/status?status=503` });
    });
    if (made === undefined) throw new Error('nothing was invoked');
    return made;
  }

  test('of approvals', async () => {
    const decider = await keyClient(service, service.database.tenant);
    const name = await createAction(service, { url: `${target.baseUrl}/echo` }, { approval: { required: true } });
    const open = async () => {
      await expectRaised(['approval.requested'], () => invoke(service, name));
      const [approval] = approvalsIn(await service.get(`${BASE}/approvals?status=pending`));
      if (approval === undefined) throw new Error('no approval is pending');
      return approval;
    };
    const approved = await open();
    // It is work that waits, and its approval goes on.
    await expectRaised(['database.recovered'], () =>
      service.database.asOwner(`SELECT open_database_epoch('operator', false)`),
    );
    await expectRaised(['approval.decided', 'effect.settled', 'invocation.settled'], () => approve(decider, approved));
    const denied = await open();
    await expectRaised(['approval.decided', 'invocation.settled'], () => deny(decider, denied));
    const asked = { title: 'Deploy', summary: 'The new version.', payload: {}, expiresIn: 'PT1H' };
    let expired = { id: '' };
    await expectRaised(['approval.requested'], async () => {
      expired = (await call('POST', '/approvals', asked)) as typeof expired;
    });
    await expectRaised(['approval.expired'], () =>
      service.deps.db.withEnvironment(service.database.tenant, async (tx) => {
        await lockApproval(tx, expired.id);
        await endApproval(tx, expired.id, { status: 'expired', at: new Date() });
      }),
    );
    expect([...seen]).toEqual(expect.arrayContaining(['approval.decided', 'approval.expired']));
  });

  test('of impact limits', async () => {
    const impact = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }];
    const spend = () => invoke(service, name, { input: { amount: 600 } });
    const name = await createAction(service, { url: `${target.baseUrl}/echo` }, { impact });
    await call('POST', '/impact-limits', {
      name: 'Refunds',
      dimension: 'money',
      currency: 'usd',
      cap: 1_000,
      period: 'month',
      thresholds: [50],
      scope: { actions: [name] },
    });
    await expectRaised(['impact_limit.threshold', 'effect.settled', 'invocation.settled'], spend);
    await expectRaised(['impact_limit.exceeded', 'invocation.settled'], spend);
    await expectRaised(['invocation.settled'], spend);
    expect([...seen]).toEqual(expect.arrayContaining(['impact_limit.exceeded']));
  });

  test('of budgets', async () => {
    const { record } = await service.createKey(service.database.tenant);
    const admit = () =>
      service.deps.db.withEnvironment(service.database.tenant, (tx) =>
        admitToBudget(tx, { apiKeyId: record.id, kind: 'events', count: 1 }),
      );
    await service.deps.db.withEnvironment(service.database.tenant, (tx) => putBudget(tx, record.id, { events: 5_000 }));
    for (let i = 0; i < 3; i++) await expectRaised([], admit);
    await expectRaised(['budget.threshold'], admit);
    await expectRaised([], admit);
    const key = await keyClient(service, service.database.tenant);
    await service.deps.db.withEnvironment(service.database.tenant, (tx) => putBudget(tx, key.keyId, { messages: 0 }));
    const refused = () => key.post(`${BASE}/messages/publish`, { url: destination.baseUrl });
    await expectRaised(['budget.exceeded'], refused);
    await expectRaised([], refused);
    expect([...seen]).toEqual(expect.arrayContaining(['budget.threshold', 'budget.exceeded']));
  });

  test('of usage', async () => {
    const note = () =>
      service.deps.db.withEnvironment(service.database.tenant, (tx) =>
        noteCrossing(tx, {
          month: '2026-11',
          meter: 'executions',
          threshold: 80,
          used: 800,
          allowed: 1_000,
          currency: null,
        }),
      );
    await expectRaised(['usage.threshold'], note);
    await expectRaised([], note);
    const spend = {
      month: '2026-11',
      meter: 'spend',
      threshold: 150,
      used: 750,
      allowed: 500,
      currency: 'usd',
    } as const;
    await expectRaised(['usage.threshold'], () =>
      service.deps.db.withEnvironment(service.database.tenant, (tx) => noteCrossing(tx, spend)),
    );
    expect([...seen]).toContain('usage.threshold');
  });

  test('of messages', async () => {
    destination.answer('/gone', { status: 410 });
    await expectRaised(['message.delivered'], () => publish(service, { url: `${destination.baseUrl}/ok`, label: 'a' }));
    await expectRaised(['message.failed'], () => publish(service, { url: `${destination.baseUrl}/gone` }));
    expect([...seen]).toEqual(expect.arrayContaining(['message.delivered', 'message.failed']));
  });

  test('of schedules, secrets, and the halt', async () => {
    const { environmentId, workspaceId } = service.database.tenant;
    const group = await call('POST', '/url-groups', { name: 'empty' });
    const schedule = await call('POST', '/schedules', {
      cron: '0 9 * * *',
      destination: { urlGroup: group['groupId'] },
      paused: true,
    });
    await expectRaised(['schedule.failed'], () => call('POST', `/schedules/${String(schedule['id'])}/run`));
    const [missed] = await expectRaised(['schedule.failed'], () =>
      service.deps.db.withEnvironment(service.database.tenant, (tx) =>
        recordMissed(tx, {
          scheduleId: String(schedule['id']),
          slots: ['2026-11-21T09:00:00.000Z', '2026-11-22T09:00:00.000Z'].map((slot) => new Date(slot)),
          catchUpSeconds: 60,
        }),
      ),
    );
    expect(missed?.data).toMatchObject({
      scheduleId: schedule['id'],
      nominalAt: '2026-11-22T09:00:00.000Z',
      errorCode: 'CATCH_UP_PASSED',
      errorMessage: expect.stringContaining('Slots missed: 2.'),
    });
    await call('PUT', '/secrets/TOKEN', { value: 'one-value-of-a-secret' });
    await expectRaised(['secret.rotated'], () => call('PUT', '/secrets/TOKEN', { value: 'another-value-of-a-secret' }));
    const path = `/workspaces/${workspaceId}/environments/${environmentId}`;
    await expectRaised(['environment.halted'], () => call('POST', `${path}/halt`, { reason: 'an incident' }));
    await expectRaised(['environment.resumed'], () => call('POST', `${path}/resume`, {}));
    expect([...seen]).toEqual(expect.arrayContaining(['schedule.failed', 'secret.rotated', 'environment.resumed']));
  });

  test('of a subscription that is disabled', async () => {
    await expectRaised(['subscription.disabled'], () =>
      service.database.asOwner(
        `UPDATE event_subscriptions SET enabled = false, disabled_at = now(), failing_since = now(), last_failure_at = now()`,
      ),
    );
    expect([...seen]).toContain('subscription.disabled');
  });

  test('no other type is declared than those that were raised here', () => {
    expect([...seen].toSorted()).toEqual([...PLATFORM_EVENT_TYPES].toSorted());
  });
});
