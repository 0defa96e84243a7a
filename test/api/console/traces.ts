import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { settled, visit } from './support.ts';
import type { World } from './world.ts';

const SPANS = 10_000;
const SPANS_PER_REQUEST = 500;
const SCRIPT_SECONDS_MAX = 1;

/** A run with one span at its top and the others below it. */
async function longRun({ service }: World): Promise<string> {
  const { data } = (await service.post('/api/v2/runs', { agentId: 'crawler', name: 'a long run' })).json as {
    data: { id: string };
  };
  const startedAt = new Date(Date.now() - 60_000).toISOString();
  const idOf = (at: number): string => (at + 1).toString(16).padStart(16, '0');
  const spans = Array.from({ length: SPANS }, (_, at) => ({
    id: idOf(at),
    ...(at === 0 ? {} : { parentId: idOf(0) }),
    name: `step ${at}`,
    kind: 'tool',
    status: 'succeeded',
    startedAt,
    endedAt: new Date(Date.parse(startedAt) + at).toISOString(),
  }));
  for (let from = 0; from < SPANS; from += SPANS_PER_REQUEST) {
    const body = { spans: spans.slice(from, from + SPANS_PER_REQUEST) };
    const reply = await service.post(`/api/v2/runs/${data.id}/spans`, body);
    if (reply.status >= 300) throw new Error(reply.text);
  }
  return data.id;
}

/** What the browser counts of its own time in scripts, layout and styles from now on: a busy machine makes it no longer. */
async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (wanted: string): number => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
    return of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration');
  };
}

export function longTraces(world: World): void {
  test('a run of 10,000 spans opens in under a second of script and layout', async () => {
    const { browser, service, owner, at } = world;
    const id = await longRun(world);
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    const workSeconds = await watchWork(page);
    await page.goto(at(`/runs/${id}`));
    await settled(page);
    await page.getByRole('button', { name: 'step 1', exact: true }).waitFor();
    const spent = await workSeconds();
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThan(SCRIPT_SECONDS_MAX);
    // Rows that are not seen are not made.
    expect(await page.locator('.waterfall [role=row]').count()).toBeLessThan(100);
    expect(complaints).toEqual([]);
    await close();
  });
}
