import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FAST_SETTINGS, startPostgres } from '../../embedded/postgres.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'postmaster-lock-'));
const lockFile = path.join(dataDir, 'cluster', 'postmaster.pid');
const start = () => startPostgres({ dataDir, port: 0, settings: FAST_SETTINGS });
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('after a reboot gave the pid of a killed PostgreSQL to another program, it starts all the same', async () => {
  const before = await start();
  const lock = readFileSync(lockFile, 'utf8');
  await before.stop();
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true });
  try {
    writeFileSync(lockFile, lock.replace(/^\d+/, String(stranger.pid)));
    const after = await start();
    expect(after.pid).not.toBe(before.pid);
    await after.stop();
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('beside one that runs it does not start, and leaves it its lock', async () => {
  const running = await start();
  try {
    await expect(start()).rejects.toThrow(/postmaster.pid" already exists/);
    expect(existsSync(lockFile)).toBe(true);
  } finally {
    await running.stop();
  }
});
