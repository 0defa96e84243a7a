import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** A topic with a subscription that has a secret, an event, and one in the outbox. */
  async plant(owner, { environmentId: environment_id }) {
    const [topic_id, subscription_id] = [newId('topic'), newId('subscription')];
    const sealed = { master_key_version: 1, wrapped_data_key: Buffer.alloc(60), sealed_value: Buffer.alloc(30) };
    await insert(owner, 'topics', { id: topic_id, environment_id, name: 'orders' });
    await insert(owner, 'event_subscriptions', {
      id: subscription_id,
      environment_id,
      topic_id,
      of_service: false,
      url: 'https://example.com/hook',
      event_types: ['*'],
    });
    await insert(owner, 'event_subscription_secrets', {
      ...sealed,
      id: newId('subscriptionSecret'),
      environment_id,
      subscription_id,
    });
    const id = newId('event');
    await insert(owner, 'events', {
      id,
      environment_id,
      topic_id,
      public_id: id,
      type: 'order.paid',
      data: {},
      occurred_at: new Date(),
      published_by: {},
      retention: 'month',
    });
    await insert(owner, 'raised_events', { environment_id, type: 'action.created', snapshot: {} });
  },
};
