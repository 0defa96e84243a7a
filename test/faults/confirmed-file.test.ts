import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type * as fs from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFolderStore } from '../../activities/adapters/files/folder-store.ts';
import { newId } from '../../domain/ids.ts';

/**
 * It stands here for a process of its own: tests of adapters share theirs, with the modules that it has loaded.
 *
 * What was done, in its order: renames by the name that they give, flushes by the place that is flushed.
 */
const done = vi.hoisted((): string[] => []);
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof fs>();
  const open: typeof real.open = async (place, ...more) => {
    const handle = await real.open(place, ...more);
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      done.push(`flush ${path.basename(String(place))}`);
      return sync();
    };
    return handle;
  };
  const rename: typeof real.rename = async (from, to) => {
    await real.rename(from, to);
    done.push(`rename ${path.basename(String(to))}`);
  };
  return { ...real, open, rename };
});

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'folder-store-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('a confirmed file has its name for good: the folder is flushed after the rename, and again when it is confirmed again', async () => {
  const store = createFolderStore(root);
  const file = { environmentId: crypto.randomUUID(), fileId: newId('file') };
  await store.put(file, 'incoming', Readable.from([Buffer.from('bytes')]));
  done.length = 0;
  expect(await store.promote(file)).toBe(5);
  expect(done).toEqual(['rename content', `flush ${file.fileId}`]);
  done.length = 0;
  expect(await store.promote(file)).toBe(5);
  expect(done).toEqual([`flush ${file.fileId}`]);
});

test('what was never sent is not there to be confirmed', async () => {
  const store = createFolderStore(root);
  expect(await store.promote({ environmentId: crypto.randomUUID(), fileId: newId('file') })).toBeNull();
});
