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
