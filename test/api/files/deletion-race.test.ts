import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import type { CallResult } from '../harness/test-api.ts';
import { createAction, errorOf, invocationIn } from '../invocations/support.ts';
import { type TestFile, upload } from './support.ts';

/** A file is deleted while an invocation that carries it is admitted: one of the two is refused, and no invocation lacks its file. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);

interface Racers {
  file: TestFile;
  action: string;
  remove: () => Promise<CallResult>;
  admit: () => Promise<CallResult>;
}

async function racers(): Promise<Racers> {
  const { key } = service;
  const file = await upload(service, key);
  const config = { url: `${target.baseUrl}/ok`, body: '{{file:input.invoice}}' };
  const action = await createAction(service, config, { approval: { required: true } });
  return {
    file,
    action,
    remove: () => service.call('DELETE', `/api/v2/files/${file.id}`, { key }),
    admit: () => service.post(`/api/v2/actions/${action}/invoke`, { input: { invoice: file.id } }),
  };
}

/** The first has written its last row but that of `table`, which a third transaction locks. The second then waits for the first. */
async function inOrder(
  table: 'monthly_usage' | 'audit_log',
  first: () => Promise<CallResult>,
  second: () => Promise<CallResult>,
): Promise<[CallResult, CallResult]> {
  const third = new Client({ connectionString: service.database.ownerUrl });
  await third.connect();
  const calls: Promise<CallResult>[] = [];
  try {
    await third.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const one = first();
    calls.push(one);
    const writes = `SELECT FROM pg_locks WHERE NOT granted AND mode = 'RowExclusiveLock' AND relation = '${table}'::regclass`;
    await expect.poll(() => service.database.asOwner(writes)).toHaveLength(1);
    const other = second();
    calls.push(other);
    const looks = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM files%'`;
    await expect.poll(() => service.database.asOwner(looks)).toHaveLength(1);
    await third.query('COMMIT');
    return [await one, await other];
  } finally {
    await third.end();
    await Promise.allSettled(calls);
  }
}

const countOf = async (sql: string, value: string): Promise<number> =>
  (await service.database.asOwner(sql, [value])).length;
const holdsOf = (fileId: string): Promise<number> => countOf('SELECT FROM file_holds WHERE file_id = $1', fileId);
const invocationsOf = (action: string): Promise<number> =>
  countOf('SELECT FROM invocations i JOIN actions a ON a.id = i.action_id WHERE a.name = $1', action);

test('the admission came first: the deletion is refused, and the file is there', async () => {
  const { file, remove, admit } = await racers();
  const [admitted, removed] = await inOrder('monthly_usage', admit, remove);
  const { id } = invocationIn(admitted);
  expect([removed.status, errorOf(removed)]).toMatchObject([409, { code: 'CONFLICT', details: { invocationId: id } }]);
  expect(await holdsOf(file.id)).toBe(1);
  expect((await service.get(`/api/v2/files/${file.id}`)).status).toBe(200);
});

test('the deletion came first: the admission is refused, and leaves nothing', async () => {
  const { file, action, remove, admit } = await racers();
  const [removed, refused] = await inOrder('audit_log', remove, admit);
  expect(removed.status).toBe(200);
  expect([refused.status, errorOf(refused).code]).toEqual([409, 'CONFLICT']);
  expect([await holdsOf(file.id), await invocationsOf(action)]).toEqual([0, 0]);
});
