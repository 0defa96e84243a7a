import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFolderStore } from '../../../activities/adapters/files/folder-store.ts';
import { dueFiles } from '../../../activities/maintenance/due-files.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import type { Bytes, FileStore } from '../../../domain/files/file-store.ts';
import { startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { fileIn, invoice, presign, presignedIn, put, sha256Of, upload } from './support.ts';

const api = await startTestApi();
const folder = api.filesFolder;
const { key } = await api.createKey(api.database.tenant);

const CONTENT = 'an invoice';
const PROMISED = { filename: 'invoice.pdf', contentType: 'application/pdf', size: CONTENT.length };
const promise = async (more: Record<string, unknown> = {}) =>
  presignedIn(await presign(api, key, { ...PROMISED, ...more }));
const confirm = (fileId: string) => api.call('POST', `/api/v2/files/${fileId}/confirm`, { key });
const read = (fileId: string, at = '') => api.call('GET', `/api/v2/files/${fileId}${at}`, { key });
const contentsOf = (fileId: string): Promise<string[]> =>
  readdir(path.join(folder, api.database.tenant.environmentId, fileId)).catch(() => []);
const sweep = async (): Promise<void> => {
  const deps = { db: api.deps.db, files: api.deps.files, logger: api.deps.logger };
  expect(await sweepRows(deps, 'due-files', dueFiles)).toMatchObject({ failed: 0 });
};
/** Moves the times of a file into the past, as if they had passed. */
const age = (fileId: string, interval: string): Promise<unknown> =>
  api.database.asOwner(
    `SET session_replication_role = 'replica';
     UPDATE files SET expires_at = expires_at - interval '${interval}', due_at = due_at - interval '${interval}' WHERE id = '${fileId}'`,
  );

async function* beginning(): Bytes {
  yield await Promise.resolve(new TextEncoder().encode(CONTENT.slice(0, 3)));
}
async function* brokenOff(): Bytes {
  yield* beginning();
  throw new Error('the store is away');
}

test('a presigned file is pending until it is confirmed, and confirming it again answers it again', async () => {
  const reply = await presign(api, key, {
    ...PROMISED,
    sha256: sha256Of(CONTENT),
    purpose: 'billing',
    metadata: { a: 1 },
  });
  expect(reply.status).toBe(201);
  const target = presignedIn(reply);
  expect(target).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'application/pdf' } });
  expect(target.url).toMatch(/^https:\/\/runtime\.example\.com\/api\/v2\/files\//);
  expect(fileIn(await read(target.fileId))).toMatchObject({ status: 'pending', purpose: 'billing', confirmedAt: null });
  expect((await read(target.fileId, '/download')).status).toBe(409);
  expect((await put(api, target, CONTENT)).json).toEqual({ success: true, data: { received: CONTENT.length } });
  const confirmed = await confirm(target.fileId);
  expect(fileIn(confirmed)).toMatchObject({ status: 'ready', sha256: sha256Of(CONTENT), expiresAt: null });
  expect((await confirm(target.fileId)).json).toEqual(confirmed.json);
  expect((await read(target.fileId, '/download')).text).toBe(CONTENT);
  expect((await put(api, target, 'another one')).status).toBe(409);
  expect((await read(target.fileId, '/download')).text).toBe(CONTENT);
});

test.each([
  ['another hash', 'AN INVOICE', 'sha256'],
  ['too few bytes', 'an inv', 'size'],
])(
  'what was uploaded with %s is not confirmed, leaves nothing, and can be uploaded again',
  async (_what, sent, differs) => {
    const target = await promise({ sha256: sha256Of(CONTENT) });
    expect((await put(api, target, sent)).status).toBe(200);
    const refused = await confirm(target.fileId);
    expect([refused.status, errorOf(refused).code]).toEqual([409, 'CONFLICT']);
    expect(Object.keys(errorOf(refused).details ?? {})).toEqual([differs]);
    expect(await contentsOf(target.fileId)).toEqual([]);
    expect((await confirm(target.fileId)).status).toBe(409); // nothing is there
    await put(api, target, CONTENT);
    expect(fileIn(await confirm(target.fileId)).status).toBe('ready');
  },
);

test('a longer body is refused while it is sent, and leaves nothing', async () => {
  const target = await promise();
  const reply = await put(api, target, `${CONTENT}!`);
  expect([reply.status, errorOf(reply).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(await contentsOf(target.fileId)).toEqual([]);
});

test('a URL works for its own file alone, until it expires, and for nobody who changed it', async () => {
  const target = await promise();
  const other = await promise();
  const changed = (change: (url: URL) => void): { url: string; headers: Record<string, string> } => {
    const url = new URL(target.url);
    change(url);
    return { ...target, url: url.href };
  };
  const later = (url: URL): void => url.searchParams.set('expires', String(Date.now() + 10_000_000));
  const elsewhere = (url: URL): void => void (url.pathname = url.pathname.replace(target.fileId, other.fileId));
  const neighbour = api.database.tenants.staging.environmentId;
  const ofNeighbour = (url: URL): void => url.searchParams.set('environment', neighbour);
  const unsigned = (url: URL): void => url.searchParams.set('signature', '1.x');
  for (const change of [later, elsewhere, ofNeighbour, unsigned]) {
    const reply = await put(api, changed(change), CONTENT);
    expect([reply.status, errorOf(reply).code], String(change)).toEqual([403, 'AUTHORIZATION_ERROR']);
  }
  await age(target.fileId, '2 hours');
  expect((await put(api, target, CONTENT)).status).toBe(404);
  expect(await contentsOf(target.fileId)).toEqual([]);
});

test('what was not confirmed within its hour is removed, with its storage; what comes late too', async () => {
  const used = async (): Promise<unknown> => (await api.database.asOwner('SELECT bytes FROM storage_used'))[0];
  await sweep(); // what earlier tests have left to expire
  await upload(api, key);
  const before = await used();
  const target = await promise({ size: 5_000 });
  await put(api, target, 'x'.repeat(5_000));
  await sweep(); // too early
  expect(await contentsOf(target.fileId)).toEqual(['incoming']);
  await age(target.fileId, '61 minutes');
  expect((await read(target.fileId)).status).toBe(404);
  expect((await confirm(target.fileId)).status).toBe(404);
  await sweep();
  expect(await contentsOf(target.fileId)).toEqual([]);
  expect(await used()).toEqual(before);
  // A PUT that had begun ends after the sweep.
  const { environmentId } = api.database.tenant;
  await api.deps.files.put({ environmentId, fileId: target.fileId }, 'incoming', lateBytes());
  await age(target.fileId, '61 minutes');
  await sweep();
  expect(await contentsOf(target.fileId)).toEqual([]);
  expect(await api.database.asOwner('SELECT 1 FROM files WHERE id = $1', [target.fileId])).toEqual([]);
});

async function* lateBytes(): AsyncGenerator<Uint8Array> {
  yield Promise.resolve(Buffer.from('late'));
}

test('a file that is ready keeps its content when something comes late to its URL', async () => {
  const target = await promise();
  await put(api, target, CONTENT);
  await confirm(target.fileId);
  const { environmentId } = api.database.tenant;
  await api.deps.files.put({ environmentId, fileId: target.fileId }, 'incoming', lateBytes());
  // A process that was killed while it received one has left a part of it.
  await writeFile(path.join(folder, environmentId, target.fileId, `part-${randomUUID()}`), 'a part');
  await age(target.fileId, '121 minutes');
  await sweep();
  expect(await contentsOf(target.fileId)).toEqual(['content']);
  expect((await read(target.fileId, '/download')).text).toBe(CONTENT);
  expect(await api.database.asOwner('SELECT due_at FROM files WHERE id = $1', [target.fileId])).toEqual([
    { due_at: null },
  ]);
});

test('a killed upload, confirmation or removal is found by its row', async () => {
  const { environmentId } = api.database.tenant;
  // Killed while a direct upload came: its row, and a part of its bytes.
  const lost = await upload(api, key);
  await api.database.asOwner(`SET session_replication_role = 'replica';
    UPDATE files SET status = 'pending', confirmed_at = NULL, due_at = expires_at WHERE id = '${lost.id}'`);
  expect((await read(lost.id)).status).toBe(404); // it is no file yet
  await age(lost.id, '61 minutes');
  // Killed between the commit of a delete and the removal.
  const deleted = await upload(api, key);
  await api.database.asOwner(
    `UPDATE files SET status = 'deleted', due_at = now() - interval '1 second' WHERE id = '${deleted.id}'`,
  );
  // Killed between the move of an upload to its place and its commit: another confirmation goes on from there.
  const moved = await promise();
  await put(api, moved, CONTENT);
  expect(await api.deps.files.promote({ environmentId, fileId: moved.fileId })).toBe(CONTENT.length);
  await sweep();
  expect([await contentsOf(lost.id), await contentsOf(deleted.id)]).toEqual([[], []]);
  expect(await api.database.asOwner('SELECT 1 FROM files WHERE id IN ($1, $2)', [lost.id, deleted.id])).toEqual([]);
  expect(fileIn(await confirm(moved.fileId)).status).toBe('ready');
});

test.each<[string, (files: FileStore) => Partial<FileStore>]>([
  ['could not be moved', () => ({ promote: () => Promise.reject(new Error('the store is away')) })],
  ['could not be read', () => ({ read: () => Promise.reject(new Error('the store is away')) })],
  ['broke off in the middle', () => ({ read: () => Promise.resolve(brokenOff()) })],
  ['ended early', () => ({ read: () => Promise.resolve(beginning()) })],
  ['are gone for a moment', () => ({ read: () => Promise.resolve(null) })],
])('a confirmation whose bytes %s leaves what can be confirmed again', async (_what, failing) => {
  const target = await promise({ sha256: sha256Of(CONTENT) });
  await put(api, target, CONTENT);
  const whole = { ...api.deps.files };
  Object.assign(api.deps.files, failing(whole));
  const failed = await confirm(target.fileId);
  Object.assign(api.deps.files, whole);
  expect(failed.status).toBeGreaterThanOrEqual(500);
  expect(fileIn(await read(target.fileId)).status).toBe('pending');
  expect(fileIn(await confirm(target.fileId))).toMatchObject({ status: 'ready', sha256: sha256Of(CONTENT) });
});

test('a confirmation that the database refuses leaves what can be confirmed again', async () => {
  const target = await promise();
  await put(api, target, CONTENT);
  await api.database.asOwner(
    `CREATE FUNCTION refuse_ready() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted'; END $$;
     CREATE TRIGGER refuse_ready BEFORE UPDATE ON files FOR EACH ROW WHEN (NEW.status = 'ready') EXECUTE FUNCTION refuse_ready()`,
  );
  const failed = await confirm(target.fileId);
  await api.database.asOwner('DROP TRIGGER refuse_ready ON files; DROP FUNCTION refuse_ready()');
  expect(failed.status).toBe(500);
  expect(fileIn(await confirm(target.fileId)).status).toBe('ready');
});

test('two confirmations at once: one reads the bytes, and none can exchange them meanwhile', async () => {
  const target = await promise();
  await put(api, target, CONTENT);
  const { promote } = api.deps.files;
  let answers: Promise<number> | undefined;
  api.deps.files.promote = async (file) => {
    answers = confirm(target.fileId).then(({ status }) => status);
    await answers;
    return promote(file);
  };
  try {
    expect(fileIn(await confirm(target.fileId)).status).toBe('ready');
  } finally {
    api.deps.files.promote = promote;
  }
  expect(await answers).toBe(409);
});

test('the storage of the plan is counted when a file is presigned, exactly, however many ask at once', async () => {
  const { development: tenant } = await api.database.anotherWorkspace();
  await api.database.asOwner(`UPDATE workspaces SET plan = 'free' WHERE id = $1`, [tenant.workspaceId]);
  const { key: own } = await api.createKey(tenant);
  const size = 104_857_600; // ten of them are below 1 GiB, eleven are not
  const replies = await Promise.all(Array.from({ length: 14 }, () => presign(api, own, { ...PROMISED, size })));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
  const refused = replies.filter(({ status }) => status !== 201);
  expect(refused.map((reply) => [reply.status, errorOf(reply).code])).toEqual(
    Array.from({ length: 4 }, () => [429, 'QUOTA_EXCEEDED']),
  );
  const parts = [invoice(Buffer.alloc(30_000_000))];
  await expect(upload(api, own, parts)).rejects.toThrow('QUOTA_EXCEEDED');
  const first = replies.find(({ status }) => status === 201);
  if (first === undefined) throw new Error('ten were admitted');
  await api.call('DELETE', `/api/v2/files/${presignedIn(first).fileId}`, { key: own });
  expect((await presign(api, own, { ...PROMISED, size })).status).toBe(201);
});

test('uploads, presigns, confirmations and PUTs wait while expensive work is paused; reading and deleting go on', async () => {
  const ready = await upload(api, key);
  const target = await promise();
  await setExpensiveWorkPause(api.database.db, 'Maintenance.');
  try {
    await expect.poll(async () => (await presign(api, key, PROMISED)).status, { interval: 20 }).toBe(503);
    const replies = [await put(api, target, CONTENT), await confirm(target.fileId)];
    expect(replies.map((reply) => errorOf(reply).code)).toEqual(replies.map(() => 'EXPENSIVE_WORK_PAUSED'));
    await expect(upload(api, key)).rejects.toThrow('EXPENSIVE_WORK_PAUSED');
    expect((await read(ready.id, '/download')).status).toBe(200);
    expect((await api.call('DELETE', `/api/v2/files/${ready.id}`, { key })).status).toBe(200);
  } finally {
    await setExpensiveWorkPause(api.database.db, null);
  }
  // The process learns of the end by a notification.
  await expect.poll(async () => (await presign(api, key, PROMISED)).status, { interval: 20 }).toBe(201);
});

test.each([
  [{ size: 104_857_601 }, 'body.size'],
  [{ size: -1 }, 'body.size'],
  [{ filename: '../x' }, 'body.filename'],
  [{ sha256: 'A'.repeat(64) }, 'body.sha256'],
  [{ contentType: 'text/plain\r\nX: y' }, 'body.contentType'],
  [{ contentType: 'text/plain;\r\n\r\na=b' }, 'body.contentType'],
  [{ metadata: { x: 'y'.repeat(17_000) } }, 'body.metadata'],
])('a presign with %j is a 400', async (wrong, at) => {
  const reply = await presign(api, key, { ...PROMISED, ...wrong });
  expect(reply.status).toBe(400);
  expect(errorOf(reply).details?.['issues']).toEqual([expect.objectContaining({ path: at })]);
});

test('in a store that takes the bytes itself, a deleted file counts until nothing can be sent to its URL any more', async () => {
  const store = createFolderStore(folder);
  const presignAtStore: FileStore['presign'] = () =>
    Promise.resolve({ url: 'https://store.example.com/incoming', headers: {} });
  const own = await startTestApi({ files: { ...store, presign: presignAtStore } });
  try {
    const { key: ownKey } = await own.createKey(own.database.tenant);
    const used = async (): Promise<number> =>
      Number((await own.database.asOwner<{ bytes: string }>('SELECT bytes FROM storage_used'))[0]?.bytes ?? 0);
    const sweepOwn = () => sweepRows(own.deps, 'due-files', dueFiles);
    const ageOwn = (fileId: string): Promise<unknown> =>
      own.database.asOwner(
        `SET session_replication_role = 'replica';
         UPDATE files SET expires_at = expires_at - interval '1 hour', due_at = due_at - interval '1 hour' WHERE id = '${fileId}'`,
      );
    const { fileId } = presignedIn(await presign(own, ownKey, { ...PROMISED, size: 50_000 }));
    expect((await own.call('DELETE', `/api/v2/files/${fileId}`, { key: ownKey })).status).toBe(200);
    expect(await used()).toBe(50_000);
    expect((await own.call('GET', `/api/v2/files/${fileId}`, { key: ownKey })).status).toBe(404);
    // The URL is over; an upload that began before that may still end.
    await ageOwn(fileId);
    await sweepOwn();
    expect(await used()).toBe(50_000);
    await ageOwn(fileId);
    await sweepOwn();
    expect(await used()).toBe(0);
    // A direct upload is free at once.
    const direct = await upload(own, ownKey);
    expect(await used()).toBeGreaterThan(0);
    await own.call('DELETE', `/api/v2/files/${direct.id}`, { key: ownKey });
    expect(await used()).toBe(0);
  } finally {
    await own.close();
  }
});

test('in the folder a deleted file is free at once: its URL leads to nothing any more', async () => {
  const used = async (): Promise<number> =>
    Number(
      (
        await api.database.asOwner<{ bytes: string }>('SELECT bytes FROM storage_used WHERE workspace_id = $1', [
          api.database.tenant.workspaceId,
        ])
      )[0]?.bytes ?? 0,
    );
  const before = await used();
  const target = await promise({ size: 50_000 });
  expect(await used()).toBe(before + 50_000);
  expect((await api.call('DELETE', `/api/v2/files/${target.fileId}`, { key })).status).toBe(200);
  expect(await used()).toBe(before);
  expect((await put(api, target, CONTENT)).status).toBe(404);
});
