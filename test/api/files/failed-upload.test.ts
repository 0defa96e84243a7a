import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { dueFiles } from '../../../activities/maintenance/due-files.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Bytes, StoredFile } from '../../../domain/files/file-store.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { invoice, multipart } from './support.ts';

/** Direct uploads that fail with an unknown result: no file without its bytes, and no bytes without a row. */
const api = await startTestApi();
const folder = api.filesFolder;
const { key } = await api.createKey(api.database.tenant);

const CONTENT = 'an invoice';
const send = (): Promise<CallResult> => api.call('POST', '/api/v2/files', { key, ...multipart([invoice(CONTENT)]) });
const rows = (): Promise<{ id: string; status: string }[]> => api.database.asOwner('SELECT id, status FROM files');
const stored = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.split(path.sep).length > 2);
const sweep = async (): Promise<void> => {
  expect(await sweepRows(api.deps, 'due-files', dueFiles)).toMatchObject({ failed: 0 });
};
const age = (interval: string): Promise<unknown> =>
  api.database.asOwner(
    `SET session_replication_role = 'replica';
     UPDATE files SET expires_at = expires_at - interval '${interval}', due_at = due_at - interval '${interval}'`,
  );
const storageUsed = async (): Promise<number> =>
  Number((await api.database.asOwner<{ bytes: string }>('SELECT bytes FROM storage_used'))[0]?.bytes ?? 0);

/** The connection is lost right after the commit that makes the file ready. */
async function losingTheCommit<T>(work: () => Promise<T>): Promise<T> {
  const { db } = api.deps;
  const { withEnvironment } = db;
  let isLost = false;
  db.withEnvironment = async (tenant, transaction, options) => {
    const result = await withEnvironment.call(db, tenant, transaction, options);
    if (!isLost && (await rows()).some(({ status }) => status === 'ready')) {
      isLost = true;
      throw new Error('Connection terminated unexpectedly');
    }
    return result as never;
  };
  try {
    return await work();
  } finally {
    db.withEnvironment = withEnvironment;
    expect(isLost).toBe(true);
  }
}

/** The store as it is while `put` is another one. */
async function whilePutting<T>(
  put: (file: StoredFile, bytes: Bytes, real: (late: Bytes) => Promise<void>) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const { files } = api.deps;
  const real = files.put;
  files.put = (file, stage, bytes) => put(file, bytes, (late) => real.call(files, file, stage, late));
  try {
    return await work();
  } finally {
    files.put = real;
  }
}

async function* again(chunks: readonly Uint8Array[]): Bytes {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

test('a file whose commit was not answered keeps its bytes', async () => {
  expect((await losingTheCommit(send)).status).toBe(503);
  const [file] = await rows();
  expect(file?.status).toBe('ready');
  const reply = await api.call('GET', `/api/v2/files/${file?.id}/download`, { key });
  expect([reply.status, reply.text]).toEqual([200, CONTENT]);
  expect((await api.call('DELETE', `/api/v2/files/${file?.id}`, { key })).status).toBe(200);
  expect([await rows(), await stored()]).toEqual([[], []]);
});

test('what a store keeps after it was given up is removed an hour later, and takes no storage until then', async () => {
  const sent: Uint8Array[] = [];
  let arrive = (): Promise<void> => Promise.reject(new Error('nothing was sent'));
  const reply = await whilePutting(async (_file, bytes, real) => {
    for await (const chunk of bytes) sent.push(chunk);
    arrive = () => real(again(sent));
    throw new ServiceError('SERVICE_UNAVAILABLE');
  }, send);
  expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  await arrive();
  expect(await stored()).toHaveLength(1);
  expect(await storageUsed()).toBe(0);
  await age('59 minutes');
  await sweep();
  expect((await rows()).map(({ status }) => status)).toEqual(['deleted']);
  await age('2 minutes');
  await sweep();
  expect([await rows(), await stored()]).toEqual([[], []]);
});

test('an upload that takes so long that it was swept leaves nothing', async () => {
  const reply = await whilePutting(async (_file, bytes, real) => {
    await age('2 hours');
    await sweep();
    await real(bytes);
  }, send);
  expect([reply.status, errorOf(reply).code]).toEqual([409, 'CONFLICT']);
  expect([await rows(), await stored()]).toEqual([[], []]);
});

test('where the record cannot be asked, everything stays until the upload expires', async () => {
  const { db } = api.deps;
  const { withEnvironment } = db;
  const reply = await whilePutting(async (_file, bytes, real) => {
    await real(bytes);
    db.withEnvironment = () => Promise.reject(new Error('Connection terminated unexpectedly'));
    throw new ServiceError('SERVICE_UNAVAILABLE');
  }, send).finally(() => (db.withEnvironment = withEnvironment));
  expect(reply.status).toBe(503);
  expect((await rows()).map(({ status }) => status)).toEqual(['pending']);
  expect(await stored()).toHaveLength(1);
  await age('2 hours');
  await sweep();
  expect([await rows(), await stored()]).toEqual([[], []]);
});
