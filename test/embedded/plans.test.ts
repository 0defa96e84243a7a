import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { readPlan } from '../../db/plans/plans.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';

const IDENTITY = '/api/v2/auth/identity';
const REQUESTS_EACH = 200;

/** Two API processes of the production shape, and the operator's commands beside them. */
describe('two API processes', () => {
  let database: TestDatabase;
  let processes: Program[] = [];
  let baseUrls: string[] = [];
  let environment: Record<string, string>;
  let key: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    environment = {
      DATABASE_URL: database.applicationUrl,
      TEMPORAL_ADDRESS: inject('stack').temporalAddress,
      MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
      LOG_LEVEL: 'info',
      PORT: '0',
      HOST: '127.0.0.1',
    };
    processes = [1, 2].map(() => new Program(['embedded/run.mjs', 'server.js'], environment));
    await Promise.all(processes.map((process) => process.printed('the API listens')));
    baseUrls = processes.map(({ output }) => `http://127.0.0.1:${/"port":(\d+)/.exec(output)?.[1]}`);
    ({ key } = await database.db.withEnvironment(database.tenant, (tx) =>
      createApiKey(tx, { name: 'test', preset: 'full_access' }),
    ));
  });
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.end('SIGKILL')));
    await database?.close();
  });

  const call = (baseUrl: string, method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const run = async (command: string, ...args: string[]): Promise<{ code: number | null; output: string }> => {
    const program = new Program(['embedded/run.mjs', `embedded/commands/${command}.js`, ...args], environment);
    return { code: await program.exited, output: program.output };
  };

  it('let exactly 300 of 400 requests at once pass for a workspace of the Free plan', async () => {
    const { workspaceId } = database.tenant;
    const changed = await run('set-plan', '--workspace', workspaceId, '--plan', 'free');
    expect([changed.code, changed.output]).toEqual([0, expect.stringContaining('enterprise -> free')]);
    const replies = await Promise.all(
      baseUrls.flatMap((baseUrl) => Array.from({ length: REQUESTS_EACH }, () => call(baseUrl, 'GET', IDENTITY))),
    );
    const passed = replies.filter((reply) => reply.status === 200);
    expect(passed).toHaveLength(300);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(100);
    // Each of the 300 got another number of remaining requests.
    const places = passed.map((reply) => Number(reply.headers.get('X-RateLimit-Remaining')));
    expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => index));
    const audit = await database.asOwner('SELECT action, actor_type, details FROM audit_log WHERE workspace_id = $1', [
      workspaceId,
    ]);
    expect(audit).toContainEqual({
      action: 'workspace.plan_changed',
      actor_type: 'system',
      details: { before: 'enterprise', after: 'free' },
    });
  });

  it('refuse expensive work after the operator’s command, and admit it again', async () => {
    await run('set-plan', '--workspace', database.tenant.workspaceId, '--plan', 'enterprise');
    const invoke = async (): Promise<number[]> =>
      Promise.all(
        baseUrls.map(
          async (baseUrl) => (await call(baseUrl, 'POST', '/api/v2/actions/none/invoke', { input: {} })).status,
        ),
      );
    await expect.poll(invoke).toEqual([404, 404]);
    const paused = await run('expensive-work', 'pause', '--reason', 'Maintenance until noon');
    expect(paused).toMatchObject({ code: 0, output: expect.stringContaining('Maintenance until noon.') });
    await expect.poll(invoke, { interval: 10 }).toEqual([503, 503]);
    expect((await run('expensive-work', 'status')).output).toContain('paused since');
    expect((await run('expensive-work', 'resume')).output).toContain('Expensive work is admitted.');
    await expect.poll(invoke, { interval: 10 }).toEqual([404, 404]);
  });

  it.each([
    ['set-plan', [], 'Usage: npm run workspace:plan'],
    ['set-plan', ['--workspace', randomUUID(), '--plan', 'gold'], 'Usage: npm run workspace:plan'],
    ['set-plan', ['--workspace', randomUUID(), '--plan', 'free'], 'There is no workspace'],
    ['expensive-work', ['pause'], 'Usage: npm run expensive-work'],
    ['expensive-work', ['stop'], 'Usage: npm run expensive-work'],
  ])('%s %j ends with exit code 1 and says why', async (command, args, message) => {
    const { code, output } = await run(command, ...args);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });

  it('leave every other workspace as it was', async () => {
    const other = await database.anotherWorkspace();
    expect(await database.db.withWorkspace(other.development.workspaceId, readPlan)).toBe('enterprise');
  });
});
