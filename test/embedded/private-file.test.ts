import { fstatSync, fsyncSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readJsonFile, writePrivately } from '../../embedded/private-file.ts';

it('a private file is on the disk before it has its name, and its name before the write ends', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'private-'));
  const file = path.join(folder, 'state.json');
  const texts = [1, 22_222, 3].map((value) => JSON.stringify({ value }));
  let before: unknown = null;
  for (const text of texts) {
    /** What is flushed, and what a reader of the file finds then. */
    const flushed: unknown[] = [];
    writePrivately(file, text, (descriptor) => {
      fsyncSync(descriptor);
      const { ino, size } = fstatSync(descriptor);
      flushed.push([ino === statSync(folder).ino ? 'the folder' : size, readJsonFile(file)]);
    });
    const after: unknown = JSON.parse(text);
    expect(flushed).toEqual([
      [text.length, before],
      ['the folder', after],
    ]);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([text, 0o600]);
    before = after;
  }
  rmSync(folder, { recursive: true });
});
