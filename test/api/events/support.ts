import type { RaisedEventType } from '../../../domain/events/event-types.ts';
import { payloadOf } from '../../../domain/events/platform-events.ts';
import { newId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { TestDatabase } from '../../harness/database.ts';

export interface Raised {
  type: string;
  data: JsonObject;
}

/** A subscription to every platform event, which makes the service raise them all. Nothing is delivered where nothing relays. */
export async function subscribeToService(
  database: Pick<TestDatabase, 'asOwner' | 'tenant'>,
  url = 'http://127.0.0.1:1/nobody',
): Promise<string> {
  const { environmentId } = database.tenant;
  const [topic, subscription] = [newId('topic'), newId('subscription')];
  await database.asOwner(`INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, 'service')`, [
    topic,
    environmentId,
  ]);
  await database.asOwner(
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types) VALUES ($1, $2, $3, true, $4, '{*}')`,
    [subscription, environmentId, topic, url],
  );
  return subscription;
}

/** What is in the outbox, in its order, as the relay reads it. */
export async function outbox(database: TestDatabase): Promise<Raised[]> {
  const rows = await database.asOwner<{ type: RaisedEventType; snapshot: JsonObject }>(
    'SELECT type, snapshot FROM raised_events ORDER BY id',
  );
  return rows.map(({ type, snapshot }) => ({ type, data: payloadOf(type, snapshot) }));
}
