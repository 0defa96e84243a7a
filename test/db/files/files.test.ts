import { expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase();

async function plant(status: 'pending' | 'ready', size = 5_000): Promise<string> {
  const id = newId('file');
  await database.asOwner(
    `INSERT INTO files (id, environment_id, upload, status, filename, content_type, size, sha256, created_by, confirmed_at, expires_at, due_at)
     VALUES ($1, $2, 'presigned', $3, 'a.txt', 'text/plain', $4, repeat('a', 64), '{}', CASE WHEN $3 = 'ready' THEN now() END, now(), now())`,
    [id, database.tenant.environmentId, status, size],
  );
  return id;
}
const set = (id: string, change: string): Promise<unknown> =>
  database.asOwner(`UPDATE files SET ${change} WHERE id = $1`, [id]);
const used = async (): Promise<number> =>
  Number((await database.asOwner<{ bytes: string }>('SELECT bytes FROM storage_used'))[0]?.bytes ?? 0);

test('a file that is ready stays what it is, and its row goes after its bytes', async () => {
  const id = await plant('ready');
  for (const change of [`size = 1`, `sha256 = repeat('b', 64)`, `metadata = '{"a": 1}'`, `filename = 'b.txt'`]) {
    await expect(set(id, change), change).rejects.toThrow('is what it is');
  }
  for (const change of [`status = 'pending', confirmed_at = NULL`, `status = 'pending'`]) {
    await expect(set(id, change), change).rejects.toThrow(/is what it is|cannot move/);
  }
  await expect(database.asOwner('DELETE FROM files WHERE id = $1', [id])).rejects.toThrow('its bytes go first');
  await set(id, `status = 'deleted'`);
  await expect(set(id, `status = 'ready'`)).rejects.toThrow('cannot move');
  await database.asOwner('DELETE FROM files WHERE id = $1', [id]);
});

test('a file is not ready without its hash', async () => {
  const id = await plant('pending');
  await expect(set(id, `status = 'ready', sha256 = NULL, confirmed_at = now()`)).rejects.toThrow('files_check');
  await expect(set(id, `status = 'ready'`)).rejects.toThrow('files_check');
});

test('what a workspace stores is counted with every change of its files, however many at once', async () => {
  const before = await used();
  const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => plant('pending', index === 0 ? 0 : 10_000)));
  expect((await used()) - before).toBe(1_024 + 90_000); // the least is 1 KiB
  await set(ids[1] ?? '', 'size = 2_000');
  expect((await used()) - before).toBe(1_024 + 82_000);
  await Promise.all(ids.slice(0, 5).map((id) => set(id, `status = 'deleted'`)));
  expect((await used()) - before).toBe(50_000);
  await database.asOwner('DELETE FROM files WHERE id = ANY ($1)', [ids]);
  expect(await used()).toBe(before);
});
