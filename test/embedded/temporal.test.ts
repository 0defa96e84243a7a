import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { startTemporal, type RunningTemporal } from '../../embedded/temporal.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/search-attributes.ts';

describe('the embedded Temporal dev server, with a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'temporal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const start = (): Promise<RunningTemporal> =>
    startTemporal({
      binary: inject('stack').temporalCliPath,
      port: 0,
      uiPort: null,
      dbFile: path.join(folder, 'db', 'temporal.db'),
      logFile: path.join(folder, 'temporal.log'),
    });

  it('remembers workflows and their search attributes over a restart', async () => {
    const first = await start();
    const workflowId = `kept/${randomUUID()}`;
    const connection = await Connection.connect({ address: first.address });
    await new Client({ connection }).workflow.start('anything', {
      workflowId,
      taskQueue: 'nobody-polls',
      typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.grade, value: 'pending' }],
    });
    await connection.close();
    await first.stop();
    const second = await start();
    const again = await Connection.connect({ address: second.address });
    expect((await new Client({ connection: again }).workflow.getHandle(workflowId).describe()).status.name).toBe(
      'RUNNING',
    );
    await again.close();
    await second.stop();
    expect(statSync(path.join(folder, 'db')).mode & 0o777).toBe(0o700);
  });

  it('starts where its very first start was cut off', async () => {
    mkdirSync(path.join(folder, 'db'));
    writeFileSync(path.join(folder, 'db', 'temporal.db'), '');
    const server = await start();
    expect(readdirSync(path.join(folder, 'db'))).toContain('unfinished-temporal.db');
    await server.stop();
  });
});
