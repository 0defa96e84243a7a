import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { settled, visit } from './support.ts';
import type { World } from './world.ts';

const PAGE_SIZE = 50;

/** Each list of URL groups is a full page of those that are named so. */
async function fillUrlGroups(page: Page, nameOf: (request: Request) => string): Promise<void> {
  const at = new Date().toISOString();
  await page.route('**/api/v2/url-groups?*', (route) => {
    const name = nameOf(route.request());
    const data = Array.from({ length: PAGE_SIZE }, (_, index) => {
      const own = `${name}-${String(index)}`;
      return { groupId: own, name: own, endpointCount: 1, createdAt: at, updatedAt: at };
    });
    const pagination = { page: 1, limit: PAGE_SIZE, total: PAGE_SIZE, totalPages: 1, hasMore: false };
    return route.fulfill({ json: { success: true, data, pagination } });
  });
}

/** What a screen shows once something about it was changed: the environment, the zone of the reader. */
export function switchesOfScreens(world: World): void {
  test('shows of the environment that was switched to, and nothing of the one before', async () => {
    const { browser, service, owner, environmentId, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    await fillUrlGroups(page, (request) =>
      request.headers()['x-environment-id'] === environmentId ? 'former' : 'latter',
    );
    await page.goto(at('/url-groups'));
    await settled(page);
    expect(await page.getByRole('link', { name: /^former-/ }).count()).toBe(PAGE_SIZE);
    await page.getByLabel('Environment').selectOption(service.database.tenants.production.environmentId);
    await page.waitForURL((url) => !url.pathname.includes(environmentId));
    await page.getByRole('link', { name: 'latter-0', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: /^former-/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /^latter-/ }).count()).toBe(PAGE_SIZE);
    expect(complaints).toEqual([]);
    await close();
  });

  test('knows an environment beyond the first hundred', async () => {
    const { browser, service, owner, environmentId, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    await page.route('**/api/v2/workspaces/*/environments?*', async (route) => {
      const url = new URL(route.request().url());
      const isFirst = url.searchParams.get('page') !== '2';
      url.searchParams.set('page', '1');
      const reply = await route.fetch({ url: url.href });
      const { data, ...rest } = (await reply.json()) as { data: { id: string }[]; pagination: object };
      const part = data.filter(({ id }) => (id === environmentId) !== isFirst);
      return route.fulfill({ json: { ...rest, data: part, pagination: { ...rest.pagination, hasMore: isFirst } } });
    });
    await page.goto(at('/url-groups'));
    await expect.poll(() => page.getByLabel('Environment').inputValue()).toBe(environmentId);
    await settled(page);
    expect(await page.getByText('There is no such environment').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('shows what a filter finds, and nothing that was shown before it', async () => {
    const { browser, service, owner, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    await fillUrlGroups(page, (request) => new URL(request.url()).searchParams.get('name') ?? 'any');
    await page.goto(at('/url-groups'));
    await page.getByRole('link', { name: 'any-0', exact: true }).waitFor();
    await page.locator('search').getByLabel('Name').fill('found');
    await page.getByRole('link', { name: 'found-0', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: /^any-/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /^found-/ }).count()).toBe(PAGE_SIZE);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a run that one comes back to shows its own spans', async () => {
    const { browser, service, owner, at } = world;
    const startedAt = new Date().toISOString();
    const runOf = async (name: string, first: string): Promise<string> => {
      const { data } = (await service.post('/api/v2/runs', { agentId: 'switch', name })).json as {
        data: { id: string };
      };
      const span = { kind: 'tool', status: 'succeeded', startedAt, endedAt: startedAt };
      const spans = ['01', '02'].map((id) => ({
        ...span,
        id: `${first}${id}`.padStart(16, '0'),
        name: `${name} ${id}`,
      }));
      const [top, below] = spans;
      await service.post(`/api/v2/runs/${data.id}/spans`, { spans: [top, { ...below, parentId: top?.id }] });
      return data.id;
    };
    const [one, other] = [await runOf('one', 'a'), await runOf('other', 'b')];
    const { page, complaints, close } = await visit(browser, service, owner, at(`/runs/${one}`));
    await page.getByRole('button', { name: 'one 02' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Name of an area, or an id').fill(other);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'other 02' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'one 02' }).waitFor();
    expect(await page.getByText('other 02').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a day that was chosen stays that day, east and west of Greenwich', async () => {
    const { browser, service, owner, at } = world;
    for (const timezoneId of ['Asia/Kathmandu', 'America/Lima']) {
      const { page, complaints, close } = await visit(browser, service, owner, at('/messages'), { timezoneId });
      await settled(page);
      const since = page.getByLabel('Since');
      await since.fill('2026-11-05');
      await page.waitForURL('**startDate=*');
      await settled(page);
      expect(await since.inputValue()).toBe('2026-11-05');
      expect(complaints).toEqual([]);
      await close();
    }
  });
}
