import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openDestination, sealDestination } from '../../../db/schedules/records.ts';
import { getSchedule } from '../../../db/schedules/queries.ts';
import { insertSchedule } from '../../../db/schedules/changes.ts';
import { rewrapAllSecrets } from '../../../db/maintenance/rewrap.ts';
import { MasterKeysError, Vault } from '../../../db/secrets/vault.ts';
import { newId } from '../../../domain/ids.ts';
import type { PublishRequest } from '../../../domain/messages/publish-request.ts';
import { SealBrokenError } from '../../../domain/sealing.ts';
import { createTestDatabase } from '../../harness/database.ts';

const KEY_1 = `1:${randomBytes(32).toString('base64')}`;
const KEY_2 = `2:${randomBytes(32).toString('base64')}`;
const before = Vault.fromMasterKeys(KEY_1);
const during = Vault.fromMasterKeys(`${KEY_1},${KEY_2}`);
const after = Vault.fromMasterKeys(KEY_2);
const DESTINATION = {
  url: 'https://shop.example/hook',
  headers: { Authorization: 'Bearer 1', 'X-A': 'a' },
  body: { card: '4242' },
  redact: { body: true },
};

const database = await createTestDatabase();

async function insertSealed(destination: PublishRequest = DESTINATION): Promise<string> {
  const { db, tenant } = database;
  const id = newId('schedule');
  await db.withEnvironment(tenant, (tx) =>
    insertSchedule(tx, {
      id,
      name: null,
      cron: '0 9 * * *',
      timezone: 'UTC',
      overlap: 'skip',
      catchUpSeconds: 60,
      destination: sealDestination(before, tenant, id, destination),
      paused: true,
      createdBy: { type: 'api_key', id: null },
      dueAt: null,
    }),
  );
  return id;
}

async function open(vault: Vault, id: string, place = id): Promise<PublishRequest> {
  const { db, tenant } = database;
  const schedule = await db.withEnvironment(tenant, (tx) => getSchedule(tx, id));
  if (schedule === null) throw new Error('the schedule was inserted');
  return openDestination(vault, tenant, place, schedule.destination);
}

describe('what schedules seal', () => {
  test('opens for its own schedule alone', async () => {
    const id = await insertSealed();
    expect(await open(before, id)).toEqual(DESTINATION);
    await expect(open(before, id, newId('schedule'))).rejects.toThrow(SealBrokenError);
  });

  test('is rewrapped, paused schedules too, and the old master key can go; what is not sealed stays', async () => {
    const [sealed, plain] = [
      await insertSealed(),
      await insertSealed({ url: DESTINATION.url, body: { report: 'daily' } }),
    ];
    expect((await rewrapAllSecrets(database.db, during)).rewrapped).toBe(2); // with the one of the first test
    expect(await open(after, sealed)).toEqual(DESTINATION);
    await expect(open(before, sealed)).rejects.toThrow(MasterKeysError);
    expect(await open(after, plain)).toEqual({ url: DESTINATION.url, body: { report: 'daily' } });
    expect((await rewrapAllSecrets(database.db, during)).rewrapped).toBe(0);
  });
});
