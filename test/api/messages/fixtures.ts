import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const ORDER = { event: 'order.paid', order: 4711 };

/** The id of a message that is due in an hour. */
async function plantMessage({ api, key, targetUrl }: World): Promise<string> {
  const body = { url: targetUrl, body: ORDER, delay: 3_600 };
  const { messageId } = await planted<{ messageId: string }>(
    api.call('POST', '/api/v2/messages/publish', { key, body }),
  );
  return messageId;
}

const message = async (world: World): Promise<FixtureRequest> => ({ params: { messageId: await plantMessage(world) } });
/** The next attempt of that message, ended. */
async function plantAttempt({ api }: World, { params }: FixtureRequest): Promise<void> {
  await api.database.asOwner(
    `INSERT INTO message_attempts (message_id, number, environment_id, status, response_status, finished_at)
     SELECT id, (SELECT count(*) + 1 FROM message_attempts WHERE message_id = $1), environment_id, 'completed', 503, now()
     FROM messages WHERE id = $1`,
    [params?.['messageId']],
  );
}

const newMessage = () => ({
  url: 'https://shop.example/webhooks/orders',
  body: ORDER,
  delay: 3_600,
  label: unique('order 4711'),
});

export const fixtures: RouteFixtures = {
  'messages.publish': { request: () => Promise.resolve({ body: newMessage() }) },
  'messages.batch': { request: () => Promise.resolve({ body: { messages: [newMessage()] } }) },
  'messages.list': { request: nothing, plantRow: plantMessage },
  'messages.get': { request: message },
  'messages.attempts.list': { request: message, plantRow: plantAttempt, listedFrom: 'message_attempts' },
  'messages.cancel': { request: message },
};
