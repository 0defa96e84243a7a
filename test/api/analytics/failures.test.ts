import { describe, expect, it } from 'vitest';
import { foldAllFacts } from '../../../db/analytics/directory.ts';
import { startTestApi } from '../harness/test-api.ts';
import { Analytics } from './support.ts';

interface ErrorKind {
  area: string;
  count: number;
}

const api = await startTestApi();

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Records as their own paths leave them; the triggers count them. */
describe('what failed elsewhere', () => {
  interface Planted {
    environmentId: string;
    id: string;
    other: Analytics;
  }
  const plantFirings = async (): Promise<Planted> => {
    const tenant = api.database.tenant;
    const { key } = await api.createKey(tenant);
    const made = await api.call('POST', '/api/v2/schedules', {
      key,
      body: {
        name: 'nightly',
        cron: '0 0 1 1 *',
        paused: true,
        destination: { url: 'https://shop.example/hook', body: {} },
      },
    });
    const { id } = (made.json as { data: { id: string } }).data;
    await api.database.asOwner(
      `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at)
       SELECT $1, $2, 'schedule', now() - n * interval '1 minute', outcome, code, 'not published: ' || code, now()
       FROM (VALUES (1, 'skipped', 'OVERLAP'), (2, 'failed', 'QUOTA_EXCEEDED'), (3, 'failed', 'QUOTA_EXCEEDED'),
         (4, 'missed', 'MISSED')) runs (n, outcome, code)`,
      [tenant.environmentId, id],
    );
    return { environmentId: tenant.environmentId, id, other: new Analytics(api, key) };
  };
  const fold = async (): Promise<void> => {
    await foldAllFacts(api.database.db);
  };

  it('are firings that were skipped, failed and missed, and an error of the schedule', async () => {
    const { id, other } = await plantFirings();
    await fold();
    const [found]: object[] = await other.data('schedules');
    expect(found).toMatchObject({
      scheduleId: id,
      firings: { published: 0, skipped: 1, failed: 2, missed: 1 },
      successRate: 0,
      latenessMs: null,
    });
    const errors: object[] = await other.data('errors?area=schedule&code=QUOTA_EXCEEDED');
    expect(errors).toMatchObject([
      { area: 'schedule', count: 2, sampleIds: [id], affected: [{ type: 'schedule', id, name: 'nightly' }] },
    ]);
  });

  it('is of its own area each, and a run names its agent', async () => {
    const { environmentId } = api.database.tenant;
    const { key } = await api.createKey(api.database.tenant);
    const other = new Analytics(api, key);
    await api.database.asOwner(
      `INSERT INTO runs (id, environment_id, agent_id, status, error, started_at, ended_at, closed_at)
       VALUES ('run_0354d87vJdMVTf5lykpWEH', $1, 'clerk', 'failed', '{"code":"MODEL_DOWN","message":"the model did not answer"}', now(), now(), now())`,
      [environmentId],
    );
    await api.database.asOwner(
      `INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, n, s1, s2)
       SELECT $1, 'errors', date_bin('15 minutes', now(), 'epoch'), area, 'CODE', 'of ' || area, n, 0, 0
       FROM (VALUES ('invocation', 2), ('dispatch', 3), ('subscription', 4), ('integration', 5)) planted (area, n)`,
      [environmentId],
    );
    await fold();
    const counts = Object.fromEntries(
      (['invocation', 'dispatch', 'subscription', 'integration'] as const).map((area) => [area, 0]),
    );
    for (const area of Object.keys(counts)) {
      const found: ErrorKind[] = await other.data(`errors?area=${area}`);
      expect(new Set(found.map((error) => error.area)), area).toEqual(new Set([area]));
      counts[area] = sum(found.map(({ count }) => count));
    }
    expect(counts).toEqual({ invocation: 2, dispatch: 3, subscription: 4, integration: 5 });
    expect(await other.data('errors?area=run')).toMatchObject([
      { area: 'run', count: 1, affected: [{ type: 'agent', id: 'clerk', name: null }] },
    ]);
  });

  it('is counted as pending up to 10,000, and then says that there are more', async () => {
    const { environmentId } = api.database.tenant;
    const { key } = await api.createKey(api.database.tenant);
    const running = async () =>
      (await new Analytics(api, key).data<{ runs: { runningNow: unknown } }>('overview')).runs.runningNow;
    const start = (first: number, last: number) =>
      api.database.asOwner(
        `INSERT INTO runs (id, environment_id) SELECT 'run_' || lpad(n::text, 22, '0'), $1 FROM generate_series($2::int, $3) n`,
        [environmentId, first, last],
      );
    await start(1, 10_000);
    expect(await running()).toEqual({ count: 10_000, isCapped: false });
    await start(10_001, 10_002);
    expect(await running()).toEqual({ count: 10_000, isCapped: true });
  });
});
