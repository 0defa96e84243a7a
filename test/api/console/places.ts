import { expect, test } from 'vitest';
import { barriers } from '../pages/browser-support.ts';
import { SETTINGS } from './screens.ts';
import { personOf, picture, settled, signInOnPage, visit } from './support.ts';
import type { World } from './world.ts';

/** Where a person comes from and what they may see: addresses, roles, other tenants. */
export function placesAndRights(world: World): void {
  test('leads a signed-out deep link through the sign-in and back, with its filters', async () => {
    const { browser, service, owner, at } = world;
    const place = at('/effects?grade=unknown');
    const { page, complaints, close } = await visit(browser, service, null, place);
    await signInOnPage(page, owner);
    await page.waitForURL(`**${place}`);
    await settled(page);
    expect(await page.getByLabel('Grade').inputValue()).toBe('unknown');
    expect(await page.locator('table.rows tbody tr').count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('keeps filters through reload and back, and shows both zones of a time', async () => {
    const { browser, service, owner, at } = world;
    const options = { timezoneId: 'Asia/Kathmandu' };
    const { page, complaints, close } = await visit(browser, service, owner, at('/invocations'), options);
    await settled(page);
    await page.getByLabel('Status').selectOption('succeeded');
    await page.waitForURL('**status=succeeded');
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('Status').inputValue()).toBe('succeeded');
    expect(await page.locator('td time').first().getAttribute('title')).toMatch(/GMT\+5:45\n.*UTC/);
    await page.locator('table.rows td a').first().click();
    await page.waitForURL('**/invocations/inv_*');
    await page.goBack();
    await settled(page);
    expect(await page.getByLabel('Status').inputValue()).toBe('succeeded');
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(['member', 'admin', 'owner'] as const)(
    'tells a %s what they may see, and why not the rest',
    async (role) => {
      const { browser, service, environmentId } = world;
      const person = await personOf(service, role);
      const { page, complaints, close } = await visit(browser, service, person, '/console/sign-in');
      const denied: string[] = [];
      for (const area of SETTINGS) {
        await page.goto(`/console/settings/${area}?e=${environmentId}`);
        await settled(page);
        if ((await page.getByText('You may not see this').count()) === 0) continue;
        await page.getByText(/This needs the role (admin|owner)/).waitFor();
        denied.push(area);
      }
      await page.goto(`/console/billing?e=${environmentId}`);
      await settled(page);
      if ((await page.getByText('You may not see this').count()) > 0) denied.push('billing');
      expect(denied).toEqual(DENIED[role]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('finds nothing of a stranger', async () => {
    const { browser, service, owner, seeded, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, at('/effects/eff_0000000000000000000000'));
    await page.getByText('There is no such thing here').waitFor();
    const { development } = await service.database.anotherWorkspace();
    const stranger = await personOf(service, 'owner', development.workspaceId);
    const theirs = await visit(browser, service, stranger, at(`/effects/${seeded.effect}`));
    await theirs.page.getByText('There is no such environment').waitFor();
    await theirs.close();
    await page.goto(`/console/e/${crypto.randomUUID()}/effects`);
    await page.getByText('There is no such environment').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('says at an IP address that it has no passkeys, and leads to the name of this machine', async () => {
    const { browser, service, owner } = world;
    const { page, close } = await visit(browser, service, owner, '/console/settings/security');
    await settled(page);
    await page.getByText('127.0.0.1 is an IP address').waitFor();
    const there = `${service.baseUrl.replace('127.0.0.1', 'localhost')}/console/settings/security`;
    expect(await page.getByRole('link', { name: 'http://localhost' }).getAttribute('href')).toBe(there);
    expect(await page.getByRole('button', { name: 'Enrol a passkey' }).count()).toBe(0);
    // Without a passkey no code stands in for one.
    expect(await page.getByRole('button', { name: 'Make new codes' }).count()).toBe(0);
    await close();
  });

  test('shows the area of the screen in a rail that is longer than the window', async () => {
    const { browser, service, owner } = world;
    const viewport = { width: 1_280, height: 600 };
    const { page, close } = await visit(browser, service, owner, '/console/billing', { viewport });
    await settled(page);
    const box = await page.locator('.rail [aria-current]').boundingBox();
    expect((box?.y ?? viewport.height) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
    await close();
  });

  test('draws a chart under the policy of the page, and shows its numbers as a table', async () => {
    const { browser, service, owner, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    const hour = (at: number): string => new Date(Date.UTC(2026, 10, 27, at)).toISOString();
    const buckets = Array.from({ length: 24 }, (_, at) => ({ start: hour(at), end: hour(at + 1) }));
    const series = ['succeeded', 'failed'].map((label, by) => ({
      key: label,
      label,
      total: 1,
      points: buckets.map((_, at) => 1_200 + at * (7 - 9 * by)),
    }));
    await page.route('**/api/v2/analytics/time-series?*', (route) =>
      route.fulfill({ json: { success: true, data: { buckets, series, unit: 'count' } } }),
    );
    await page.goto(at('/overview'));
    await page.locator('canvas').first().waitFor();
    await settled(page);
    await picture(page, 'charts');
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'As a table' }).first().click();
    await page.getByRole('cell', { name: '1,200' }).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
}

/** The screens that a role does not reach. */
const DENIED = { member: ['secrets', 'audit', 'billing'], admin: [], owner: [] } as const;
