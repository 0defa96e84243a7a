import { expect, it } from 'vitest';
import { createAction, lockAction, updateAction } from '../../../db/actions/changes.ts';
import { getAction, listVersions } from '../../../db/actions/queries.ts';
import type { ActionRecord, NewVersion } from '../../../db/actions/records.ts';
import type { Tenant } from '../../../db/client.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { Json } from '../../../domain/json.ts';
import { createTestDatabase } from '../../harness/database.ts';

const RANGE = { limit: 10, offset: 0 };

const database = await createTestDatabase();

function versionOf(timeoutMs: number, extra: Json = null): NewVersion {
  const definition: ActionDefinition = {
    adapter: { type: 'http.request', version: '1', config: { url: 'https://example.com/', extra } },
    inputSchema: { type: 'object' },
    outputSchema: null,
    governed: false,
    impact: [],
    verify: null,
    approval: { required: false, tag: null },
    timeoutMs,
  };
  const digest = digestOf(definition as unknown as Json);
  return { definition, digest, createdBy: { type: 'api_key', id: 'key_test' }, changeNote: null };
}

function create(tenant: Tenant, name: string, version = versionOf(1)): Promise<ActionRecord> {
  const { environmentId } = tenant;
  return database.db.withEnvironment(tenant, (tx) =>
    createAction(tx, { environmentId, name, description: null, version }),
  );
}

it('gives back the very value that was digested, whatever JSON holds', async () => {
  const extra: Json = [1e21, 1.5e-7, -0.1, 9007199254740991, 'ü\u{1F511}\u2028"\\', { b: [], a: {}, '': null }, 1.0];
  const { id } = await create(database.tenant, 'round.trip', versionOf(1, extra));
  const [action, versions] = await database.db.withEnvironment(database.tenant, async (tx) => [
    await getAction(tx, id),
    await listVersions(tx, id, RANGE),
  ]);
  expect(digestOf((action?.definition ?? null) as unknown as Json)).toBe(action?.currentVersion.digest);
  expect(versions).toMatchObject({
    items: [{ number: 1, createdBy: { type: 'api_key', id: 'key_test' }, changeNote: null }],
    total: 1,
  });
});

it('shows no action and no version of another environment', async () => {
  const action = await create(database.tenants.production, 'elsewhere');
  const seen = await database.db.withEnvironment(database.tenant, async (tx) => [
    await listVersions(tx, action.id, RANGE),
    await getAction(tx, action.id),
    await getAction(tx, action.name),
    await lockAction(tx, action.id),
  ]);
  expect(seen).toEqual([{ items: [], total: 0 }, null, null, null]);
});

it('lets no one change or delete a version, its owner included', async () => {
  const { currentVersion } = await create(database.tenant, 'immutable');
  for (const sql of ["UPDATE action_versions SET change_note = 'x'", 'DELETE FROM action_versions']) {
    await expect(database.asOwner(`${sql} WHERE id = $1`, [currentVersion.id])).rejects.toThrow('append-only');
  }
});

it('reads, after it waited for the lock, the version that the other transaction made', async () => {
  const { tenant, db } = database;
  const action = await create(tenant, 'contended');
  const seen = await db.withEnvironment(tenant, async (first) => {
    const locked = await lockAction(first, action.id);
    if (locked === null) throw new Error('the action is gone');
    const waiting = db.withEnvironment(tenant, (second) => lockAction(second, action.name));
    await waitForLockWaiter();
    await updateAction(first, locked, { name: 'contended', description: null, version: versionOf(2) });
    return { waiting };
  });
  expect(await seen.waiting).toMatchObject({ currentVersion: { number: 2 }, definition: { timeoutMs: 2 } });
});

async function waitForLockWaiter(): Promise<void> {
  while ((await database.lockWaits()) === 0);
}
