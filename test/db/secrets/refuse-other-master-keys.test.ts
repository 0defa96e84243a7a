import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseOtherMasterKeys } from '../../../db/secrets/refuse-other-master-keys.ts';
import { MasterKeysError, Vault } from '../../../db/secrets/vault.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

const [key1, key2, otherKey] = Array.from({ length: 3 }, () => randomBytes(32).toString('base64')) as [
  string,
  string,
  string,
];

describe('the start of a process with its master keys', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database?.close());

  const start = (masterKeys: string): Promise<void> =>
    refuseOtherMasterKeys(database.db, Vault.fromMasterKeys(masterKeys));
  const waitingForLock = () => database.lockWaits();
  const recorded = async (): Promise<number[]> => {
    const rows = await database.asOwner<{ version: number }>('SELECT version FROM master_key_digests ORDER BY 1');
    return rows.map(({ version }) => version);
  };

  it('is refused with another value of a known version, by its name, and records nothing', async () => {
    await start(`1:${key1}`);
    const refused = start(`1:${otherKey},2:${key2}`);
    await expect(refused).rejects.toThrow(MasterKeysError);
    await expect(refused).rejects.toThrow(
      /^master key version 1 has another value .*Correct the value\. .*under the next version/,
    );
    await expect(refused).rejects.not.toThrow(otherKey);
    expect(await recorded()).toEqual([1]);
  });

  it('names every version whose value is another one', async () => {
    await start(`1:${key1},2:${key2}`);
    await expect(start(`1:${key2},~2:${key1},3:${otherKey}`)).rejects.toThrow('master key version 1, 2 has');
  });

  it('passes with the same keys, a version more, a version less, and one that comes back', async () => {
    await start(`1:${key1}`);
    await start(`1:${key1}`);
    await start(`1:${key1},~2:${key2}`);
    await start(`1:${key1},2:${key2}`);
    await start(`2:${key2}`);
    await start(`1:${key1},2:${key2}`);
    await expect(start(`1:${otherKey},2:${key2}`)).rejects.toThrow('version 1 has');
    expect(await recorded()).toEqual([1, 2]);
  });

  it('is refused where another process that starts at the same time records another value first', async () => {
    const first = new Client({ connectionString: database.ownerUrl });
    await first.connect();
    try {
      const [mine] = Vault.fromMasterKeys(`1:${key1}`).keyDigests();
      await first.query('BEGIN');
      await first.query('INSERT INTO master_key_digests (version, digest) VALUES (1, $1)', [mine?.digest]);
      const starts = Promise.allSettled([start(`1:${key1},2:${key2}`), start(`1:${otherKey}`)]);
      await expect.poll(waitingForLock, { timeout: PATIENCE_MS }).toBe(2);
      await first.query('COMMIT');
      const message = expect.stringContaining('version 1 has another value');
      expect(await starts).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { message } }]);
    } finally {
      await first.end();
    }
    expect(await recorded()).toEqual([1, 2]);
  });

  it.each([
    ['change', 'UPDATE master_key_digests SET digest = digest'],
    ['remove', 'DELETE FROM master_key_digests'],
  ])('leaves nothing that the application can %s', async (_what, statement) => {
    await start(`1:${key1}`);
    await expect(database.db.directory.raw(null, statement)).rejects.toThrow(/permission denied/);
  });
});
