import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPortFree } from '../../embedded/ports.ts';
import { FAST_SETTINGS, startPostgres } from '../../embedded/postgres.ts';
import { unprivileged } from '../../embedded/unprivileged.ts';

describe('the embedded PostgreSQL', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'postgres-'));
    chmodSync(folder, 0o711);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const ask = async (url: string, sql: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  it('keeps its data and its password over a restart, and frees its port', async () => {
    const dataDir = path.join(folder, 'data');
    const first = await startPostgres({ dataDir, port: 0, settings: FAST_SETTINGS });
    await ask(first.ownerUrl, 'CREATE TABLE kept (id int)');
    await first.stop();
    expect(await isPortFree(first.port)).toBe(true);
    const second = await startPostgres({ dataDir, port: first.port, settings: FAST_SETTINGS });
    expect(second.ownerUrl).toBe(first.ownerUrl);
    expect(await ask(second.ownerUrl, `SELECT to_regclass('kept') AS kept`)).toEqual([{ kept: 'kept' }]);
    expect(
      await ask(
        second.ownerUrl,
        `SELECT current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS addresses,
                current_setting('unix_socket_directories') AS sockets, current_setting('password_encryption') AS passwords`,
      ),
    ).toEqual([{ encoding: 'UTF8', addresses: '127.0.0.1', sockets: '', passwords: 'scram-sha-256' }]);
    const wrong = new URL(second.ownerUrl);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    await second.stop();
    expect(statSync(path.join(dataDir, 'owner-password')).mode & 0o777).toBe(0o600);
  });

  it('says what PostgreSQL said where it does not start', async () => {
    const settings = { shared_buffers: 'plenty' };
    await expect(startPostgres({ dataDir: path.join(folder, 'data'), port: 0, settings })).rejects.toThrow(
      'invalid value for parameter "shared_buffers"',
    );
  });

  it.skipIf(process.getuid?.() !== 0)('runs as another account where root is all there is', () => {
    const choice = unprivileged(process.execPath, path.join(folder, 'cluster'));
    expect(choice.prefix[0] === 'unshare' || (choice.uid ?? 0) > 0).toBe(true);
  });
});
