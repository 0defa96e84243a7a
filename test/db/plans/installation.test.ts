import { describe, expect, it } from 'vitest';
import { readExpensiveWorkPause, setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase();

describe('the installation', () => {
  it('is paused with a reason and a time, which a later reason keeps, and resumed', async () => {
    expect(await readExpensiveWorkPause(database.db)).toBeNull();
    await setExpensiveWorkPause(database.db, 'First.');
    const first = await readExpensiveWorkPause(database.db);
    await setExpensiveWorkPause(database.db, 'Second.');
    expect(await readExpensiveWorkPause(database.db)).toEqual({ pausedAt: first?.pausedAt, reason: 'Second.' });
    await setExpensiveWorkPause(database.db, null);
    expect(await readExpensiveWorkPause(database.db)).toBeNull();
  });

  it.each([
    ['gains no second row', 'INSERT INTO installation DEFAULT VALUES', /permission denied/],
    ['loses its row to nobody', 'DELETE FROM installation', /permission denied/],
    ['is not paused without a reason', 'UPDATE installation SET expensive_work_paused_at = now()', /check constraint/],
    [
      'is not paused for an empty reason',
      "UPDATE installation SET expensive_work_paused_at = now(), expensive_work_paused_reason = ''",
      /check constraint/,
    ],
  ])('%s', async (_, statement, refusal) => {
    await expect(database.db.directory.raw(null, statement)).rejects.toThrow(refusal);
  });

  it('has one row even for its owner', async () => {
    await expect(database.asOwner('INSERT INTO installation DEFAULT VALUES')).rejects.toThrow(/duplicate key/);
    await expect(database.asOwner('INSERT INTO installation (only_row) VALUES (false)')).rejects.toThrow(
      /check constraint/,
    );
  });

  it('knows its plans: a workspace is on one of them', async () => {
    for (const plan of ["'gold'", 'NULL']) {
      const change = database.db.withWorkspace(database.tenant.workspaceId, (tx) =>
        tx.raw(null, `UPDATE workspaces SET plan = ${plan}`),
      );
      await expect(change).rejects.toThrow(/constraint/);
    }
  });
});
