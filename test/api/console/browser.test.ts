import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { approvalPath } from '../../../domain/console-links.ts';
import type { TestPerson } from '../harness/people.ts';
import { barriers } from '../pages/browser-support.ts';
import { openApproval } from '../pages/support.ts';
import { press, type } from './keyboard.ts';
import { screensOf } from './screens.ts';
import { MARKUP_SHOWN, seed, type Seeded } from './seed.ts';
import { personOf, picture, settled, signInOnPage, visit } from './support.ts';

/** The console in a real browser, over one service for all tests: from the sign-in to a change that the audit log names. */
const executable = chromiumPath();
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { environmentId, workspaceId } = service.database.tenant;
const at = (path: string): string => `/console/e/${environmentId}${path}`;

let browser: Browser;
let owner: TestPerson;
let seeded: Seeded;
let approvalId: string;

beforeAll(async () => {
  if (executable === null) return;
  [browser, owner, seeded] = await Promise.all([
    startBrowser(executable),
    personOf(service, 'owner'),
    seed(service, target),
  ]);
  approvalId = (await openApproval(service, service.key)).id;
});

afterAll(async () => {
  await browser?.close();
});

describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
  test('leads a signed-out deep link through the sign-in and back, with its filters', async () => {
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

  test.each([
    ['light', 1_280],
    ['dark', 320],
  ] as const)('has no barrier and no sideways scroll on any screen, %s at %i px', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 800 } };
    const { page, complaints, calls, close } = await visit(browser, service, owner, at('/effects'), options);
    const found: string[] = [];
    for (const { name, path } of screensOf(seeded, environmentId)) {
      await page.goto(path);
      await settled(page);
      await picture(page, `${name}-${colorScheme}-${width}`);
      found.push(...(await barriers(page)).map((barrier) => `${name}: ${barrier}`));
      const scrolled = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      if (scrolled > width) found.push(`${name}: is ${scrolled} px wide`);
      found.push(...complaints.splice(0).map((complaint) => `${name}: ${complaint}`));
    }
    expect(found).toEqual([]);
    // A refusal for want of a role is a state of its own; nothing else may fail.
    expect(calls.filter(({ status, path }) => status >= 400 && status !== 403 && !path.endsWith('/stream'))).toEqual(
      [],
    );
    await close();
  });

  test('shows what others wrote as text alone', async () => {
    const { page, complaints, close } = await visit(browser, service, owner, at(`/effects/${seeded.effect}`));
    await settled(page);
    await page.getByText('600.00 USD').first().waitFor();
    await page.getByText(MARKUP_SHOWN).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('is decided, resolved, retried, halted and given keys by keyboard alone, each under the name of the person', async () => {
    const { page, complaints, close } = await visit(browser, service, owner, at('/overview'));
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
    await settled(page);

    // Find out about an unknown effect, and resolve it.
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.waitForURL(`**${at('/effects')}`);
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/effects/eff_*');
    await settled(page);
    await press(page, button('Resolve'));
    await type(page, page.getByLabel('How you know'), 'The dashboard shows it.');
    await press(page, button('Record for good'));
    await page.locator('.lead').getByText('Acknowledged').waitFor();

    // Retry what is dead.
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.waitForURL(`**${at('/dlq')}`);
    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await press(page, button('Retry'));
    await press(page, page.locator('dialog[open]').getByRole('button', { name: 'Retry', exact: true }));
    await page.waitForURL('**/messages/msg_*');

    // Halt and resume.
    await page.keyboard.press('/');
    await page.keyboard.type('environments');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/environments*');
    await settled(page);
    const row = page.getByRole('row').filter({ hasText: 'Development' }).first();
    await press(page, row.getByRole('button', { name: 'Halt' }));
    await type(page, page.getByLabel('Why'), 'A drill.');
    await type(page, page.getByLabel(/^Type Development/), 'Development');
    await press(page, page.locator('dialog[open]').getByRole('button', { name: 'Halt' }));
    await page.getByText('Development is halted').waitFor();
    await picture(page, 'halted');
    await press(page, row.getByRole('button', { name: 'Resume' }));
    await press(page, page.locator('dialog[open]').getByRole('button', { name: 'Resume' }));
    await page.getByText('Development is halted').waitFor({ state: 'detached' });

    // Make a key, and revoke it.
    await page.keyboard.press('/');
    await page.keyboard.type('keys');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/keys*');
    await settled(page);
    await press(page, button('New key'));
    await type(page, page.locator('dialog[open]').getByLabel('Name'), 'by keyboard');
    await press(page, button('Create'));
    expect(await page.getByRole('region', { name: 'the key' }).textContent()).toMatch(/^service_/);
    await press(page, button('Done'));
    const key = page.getByRole('row').filter({ hasText: 'by keyboard' });
    await press(page, key.getByRole('button', { name: 'Revoke' }));
    await type(page, page.getByLabel(/^Type by keyboard/), 'by keyboard');
    await press(page, page.locator('dialog[open]').getByRole('button', { name: 'Revoke' }));
    await key.getByText('Ended').waitFor();

    // Decide: on the page that needs no script.
    await page.goto(approvalPath(environmentId, approvalId));
    await type(page, page.getByLabel('Note'), 'Checked.');
    await press(page, page.getByRole('button', { name: 'Approve' }));
    await page.getByText('You have approved this.').waitFor();
    expect(complaints).toEqual([]);
    await close();
    expect(await audited(owner)).toEqual(
      expect.arrayContaining([
        'effect.resolved',
        'dead_letter.retried',
        'environment.halted',
        'environment.resumed',
        'api_key.created',
        'api_key.deleted',
        'approval.approved',
      ]),
    );
  });

  test('refuses an act on many when the set has changed since it was looked at', async () => {
    const { page, complaints, close } = await visit(browser, service, owner, at('/dlq'));
    await settled(page);
    await page.getByRole('button', { name: /^Retry 1/ }).click();
    await page.getByText('Filter:').waitFor();
    await service.post('/api/v2/messages/publish', { url: `${target.baseUrl}/status?status=410`, maxRetries: 0 });
    const deadLetters = async (): Promise<number> =>
      ((await service.get('/api/v2/dlq')).json as { pagination: { total: number } }).pagination.total;
    await expect.poll(deadLetters).toBe(2);
    await page
      .locator('dialog[open]')
      .getByRole('button', { name: /^Retry 1/ })
      .click();
    await page.getByText('The filter matches 2 dead letters, and 1 were expected').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('keeps filters through reload and back, and shows both zones of a time', async () => {
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

  test('tells a member why not, and finds nothing of a stranger', async () => {
    const member = await personOf(service, 'member');
    const { page, complaints, close } = await visit(
      browser,
      service,
      member,
      `/console/settings/audit?e=${environmentId}`,
    );
    await page.getByText('You may not see this').waitFor();
    await page.getByText(/This needs the role (admin|owner)/).waitFor();
    await picture(page, 'forbidden');
    await page.goto(at('/effects/eff_0000000000000000000000'));
    await page.getByText('There is no such thing here').waitFor();
    await page.goto(`/console/e/${crypto.randomUUID()}/effects`);
    await page.getByText('There is no such environment').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('draws a chart under the policy of the page, and shows its numbers as a table', async () => {
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
});

async function audited(person: TestPerson): Promise<string[]> {
  const { data } = (
    await person.call('GET', `/api/v2/workspaces/${workspaceId}/audit?limit=100&actor=${person.userId}`)
  ).json as { data: { action: string }[] };
  return data.map(({ action }) => action);
}
