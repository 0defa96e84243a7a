import { expect, test, vi } from 'vitest';
import { PLATFORM_EVENTS } from '../../../domain/events/platform-events.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { createdSubscriptionSchema } from '../../../api/events/schemas.ts';
import { createAction, dataOf } from '../invocations/support.ts';
import { startDestination } from '../messages/support.ts';
import { outbox } from './support.ts';

const [service, destination] = await Promise.all([startTestService({ relay: true }), startDestination()]);

test(
  'a platform event reaches its subscription, signed, in the documented shape, and raises no other',
  async () => {
    const subscribed = await service.post('/api/v2/events/topics/service/subscriptions', {
      url: `${destination.baseUrl}/hook`,
    });
    const { id: subscriptionId } = dataOf(subscribed, createdSubscriptionSchema);
    const name = await createAction(service, { url: destination.baseUrl });
    await vi.waitFor(() => expect(destination.on('/hook')).toHaveLength(1), { timeout: PATIENCE_MS, interval: 100 });
    const [delivery] = destination.on('/hook');
    const body = JSON.parse(delivery?.body ?? '{}') as Record<string, unknown>;
    const { environmentId } = service.database.tenant;
    expect(Object.keys(body)).toEqual(['id', 'type', 'timestamp', 'topic', 'environmentId', 'data']);
    expect(body).toMatchObject({ type: 'action.created', topic: 'service', environmentId, data: { name } });
    expect(PLATFORM_EVENTS['action.created'].data.safeParse(body['data']).success).toBe(true);
    expect(delivery?.headers['webhook-signature']).toMatch(/^v1,\S+ v2,\S+$/);
    const [message] = await vi.waitFor(
      async () => {
        const rows = await service.database.asOwner<Record<string, unknown>>(
          'SELECT id, kind, event_id, subscription_id FROM messages WHERE status = $1',
          ['delivered'],
        );
        expect(rows).toHaveLength(1);
        return rows;
      },
      { timeout: PATIENCE_MS, interval: 100 },
    );
    expect(message).toEqual({
      id: delivery?.headers['webhook-id'],
      kind: 'event',
      event_id: body['id'],
      subscription_id: subscriptionId,
    });
    expect(await outbox(service.database)).toEqual([]);
  },
  TEST_TIMEOUT_MS,
);
