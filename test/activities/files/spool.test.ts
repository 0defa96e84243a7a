import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { spool } from '../../../activities/adapters/files/spool.ts';
import type { Bytes } from '../../../domain/files/file-store.ts';
import { sha256Of } from '../../api/files/support.ts';

async function* bytesOf(...pieces: Uint8Array[]): Bytes {
  for (const piece of pieces) yield Promise.resolve(piece);
}

test('what is spooled is read whole, as often as it is asked for', async () => {
  const pieces = [randomBytes(100_000), randomBytes(1), randomBytes(65_536)];
  const content = Buffer.concat(pieces);
  await using spooled = await spool(bytesOf(...pieces));
  expect(spooled).toMatchObject({ size: content.length, sha256: sha256Of(content) });
  for (let time = 0; time < 2; time++) expect(content.equals(await buffer(spooled.stream()))).toBe(true);
});

test('nothing is an empty stream', async () => {
  await using spooled = await spool(bytesOf());
  expect([spooled.size, (await buffer(spooled.stream())).length]).toEqual([0, 0]);
});

/** A descriptor that is closed twice is another's by the second time: a connection's, or the event loop's own, which ends the process. */
test('a stream that is destroyed on its way does not close the file under it', async () => {
  const content = randomBytes(1_000_000);
  const spooled = await spool(bytesOf(content));
  const broken = spooled.stream();
  await once(broken, 'data');
  broken.destroy();
  await once(broken, 'close');
  expect(content.equals(await buffer(spooled.stream()))).toBe(true);
  await spooled[Symbol.asyncDispose]();
});

test('a stream that is left over does not read the file that has the descriptor after it', async () => {
  const spooled = await spool(bytesOf(randomBytes(1_000_000)));
  const leftOver = spooled.stream();
  await once(leftOver, 'readable');
  await spooled[Symbol.asyncDispose]();
  await using another = await spool(bytesOf(randomBytes(1_000_000)));
  await expect(buffer(leftOver)).rejects.toThrow('file closed');
  expect(another.size).toBe(1_000_000);
});
