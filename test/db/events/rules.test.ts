import { describe, expect, test } from 'vitest';
import { advanceFanOut, endFanOut } from '../../../db/events/fan-out.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { insertEvent } from '../../../db/events/publishing.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** What the database holds of events, independent of the code. */

const topicId = newId('topic');
const database = await createTestDatabase();
await database.asOwner(`INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, 'orders')`, [
  topicId,
  database.tenant.environmentId,
]);

const transaction = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

async function event(ownId: string | null = null): Promise<string | null> {
  const given = { topicId, ownId, type: 'order.paid', data: '{"z":1,"a":2}', occurredAt: new Date() };
  const made = await transaction((tx) =>
    insertEvent(tx, { ...given, publishedBy: { type: 'api_key', id: null }, isHeard: false }),
  );
  return made?.id ?? null;
}

describe('an event', () => {
  test('whose id its publisher used before is not accepted again', async () => {
    expect(await event('order-7')).toMatch(/^evt_/);
    expect(await event('order-7')).toBeNull();
  });

  test('is fanned out at once where nobody hears it, and its fan-out never goes back', async () => {
    const id = (await event()) ?? '';
    const [row] = await database.asOwner(
      'SELECT status, fanned_out_at IS NOT NULL AS ended FROM events WHERE id = $1',
      [id],
    );
    expect(row).toEqual({ status: 'fanned_out', ended: true });
    const again = transaction((tx) => advanceFanOut(tx, id, { afterId: 'sub_1', made: 0, unmade: 0 }));
    await expect(again).rejects.toThrow(/is fanned out/);
    await database.asOwner(
      `SET session_replication_role = 'replica'; UPDATE events SET status = 'fanning_out', fanned_out_at = NULL, after_id = 'sub_5', deliveries = 5`,
    );
    const back = transaction((tx) => advanceFanOut(tx, id, { afterId: 'sub_4', made: 0, unmade: 0 }));
    await expect(back).rejects.toThrow(/only moves forward/);
    await transaction((tx) => endFanOut(tx, id, null));
  });
});
