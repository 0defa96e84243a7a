import { newId } from '../../../domain/ids.ts';
import type { RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { plantFailedDeliveries, plantTopicWith } from './plant.ts';

/** A new subscription, so that one recovery does not block another. */
async function subscription({ api, targetUrl }: World): Promise<{ subscriptionId: string }> {
  const { subscriptionId } = await plantTopicWith(api.database, { url: targetUrl });
  return { subscriptionId };
}
const ofSubscription = async (world: World): Promise<FixtureRequest> => ({ params: await subscription(world) });

/** Examples show moments by their distance from the recording, so a fixed one would differ in each. */
const anHourAgo = (): string => new Date(Date.now() - 3_600_000).toISOString();

/** A recovery that no workflow works on, so that it is still under way when a suite comes back to it. */
async function plantRecovery({ api }: World, subscriptionId: string, status = 'running'): Promise<string> {
  const id = newId('eventRecovery');
  await api.database.asOwner(
    `UPDATE dead_letter_jobs SET status = 'cancelled', ended_at = now() WHERE ended_at IS NULL AND subscription_id = $1`,
    [subscriptionId],
  );
  await api.database.asOwner(
    `INSERT INTO dead_letter_jobs (id, environment_id, kind, subscription_id, filter, requested_by, publishes_while_halted, status, ended_at)
     VALUES ($1, $2, 'recover', $3, $5::jsonb, '{"type":"api_key","id":null}', false, $4::text,
       CASE WHEN $4 <> 'running' THEN now() END)`,
    [id, api.database.tenant.environmentId, subscriptionId, status, JSON.stringify({ startDate: anHourAgo() })],
  );
  return id;
}
const recovery = async (world: World): Promise<FixtureRequest> => {
  const { subscriptionId } = await subscription(world);
  return { params: { subscriptionId, recoveryId: await plantRecovery(world, subscriptionId) } };
};
/** An environment has at most ten active recoveries. The newest are not touched: a suite may be about to read them. */
async function roomForRecoveries({ api }: World): Promise<void> {
  await api.database.asOwner(
    `UPDATE dead_letter_jobs SET status = 'cancelled', ended_at = now() WHERE ended_at IS NULL AND kind = 'recover'
       AND id NOT IN (SELECT id FROM dead_letter_jobs WHERE ended_at IS NULL AND kind = 'recover' ORDER BY id DESC LIMIT 5)`,
  );
}

export const deliveryFixtures: RouteFixtures = {
  'events.subscriptions.test': { request: ofSubscription },
  'events.subscriptions.attempts.list': {
    request: ofSubscription,
    listedFrom: 'message_attempts',
    plantRow: ({ api }, { params }) =>
      plantFailedDeliveries(api.database, { subscriptionId: params?.['subscriptionId'] ?? '', withAttempts: true }),
  },
  'events.subscriptions.recover': {
    request: async (world) => {
      await roomForRecoveries(world);
      return { ...(await ofSubscription(world)), body: { since: anHourAgo() } };
    },
  },
  'events.subscriptions.recoveries.list': {
    request: ofSubscription,
    listedFrom: 'dead_letter_jobs',
    plantRow: (world, { params }) => plantRecovery(world, params?.['subscriptionId'] ?? '', 'completed'),
  },
  'events.subscriptions.recoveries.get': { request: recovery },
  'events.subscriptions.recoveries.cancel': { request: recovery },
};
