import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { readSigningKeys } from '../../../api/oauth/signing-keys.ts';
import { listOAuthKeys } from '../../../db/oauth/signing-keys.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** The keys that sign ID tokens, after the master key that sealed one was lost. */

const database = await createTestDatabase();

const masterKeys = (): Vault => Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);

it('a key that does not open is passed by with an error in the log, and one process of many adds another', async () => {
  const logged: unknown[] = [];
  const logger = { error: (fields: unknown, message: string) => void logged.push([fields, message]) };
  const read = async (resealing: Vault): Promise<unknown[]> => {
    const deps = { db: database.db, resealing, logger } as unknown as Parameters<typeof readSigningKeys>[0];
    return (await readSigningKeys(deps)).map(({ kid }) => kid);
  };
  const [lost, newer] = [masterKeys(), masterKeys()];
  const [first] = await read(lost);
  expect(logged).toEqual([]);

  const reads = await Promise.all([read(newer), read(newer), read(newer)]);
  const stored = (await listOAuthKeys(database.db)).map(({ id }) => id);
  expect(stored).toHaveLength(2);
  const second = stored.find((id) => id !== first);
  expect(reads).toEqual([[second], [second], [second]]);
  expect(logged).toContainEqual([
    expect.objectContaining({ keyId: first }) as unknown,
    'an OAuth signing key does not open',
  ]);

  // With the master key back, the earlier key is found again.
  expect(await read(lost)).toEqual([first]);
  expect(await listOAuthKeys(database.db)).toHaveLength(2);
});
