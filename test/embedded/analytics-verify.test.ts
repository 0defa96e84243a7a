import { describe, expect, it } from 'vitest';
import { foldFacts } from '../../db/analytics/directory.ts';
import { createRun } from '../../db/runs/changes.ts';
import { createTestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';

/** `npm run analytics:verify` over every environment of an installation. */

const database = await createTestDatabase();

async function verify(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = new Program(['embedded/run.mjs', 'embedded/commands/verify-analytics.js', ...args], {
    DATABASE_URL: database.applicationUrl,
  });
  return { code: await program.exited, output: program.output };
}

describe('analytics:verify', () => {
  it('names each bucket that differs, with exit code 1, and mends them with --repair', async () => {
    const run = { name: null, agentId: 'planner', agentVersion: null, userId: null, application: null, input: null };
    await database.db.withEnvironment(database.tenant, (tx) =>
      createRun(tx, { ...run, tags: null, metadata: null, traceId: null, startedAt: null }),
    );
    await foldFacts(database.db);
    await database.asOwner(`UPDATE analytics_rollups SET n = n + 2 WHERE kind = 'runs.started'`);
    const differing = await verify();
    expect(differing.code).toBe(1);
    expect(differing.output).toMatch(
      new RegExp(`${database.tenant.environmentId} runs\\.started \\S+ \\["running","planner",""\\]: n -2, s1 0, s2 0`),
    );
    expect(await verify('--repair')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Repaired: ') as string,
    });
    expect(await verify()).toMatchObject({ code: 0, output: expect.stringContaining('Whole: ') as string });
  });
});
