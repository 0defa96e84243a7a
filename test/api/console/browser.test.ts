import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import type { TestPerson } from '../harness/people.ts';
import { barriers } from '../pages/browser-support.ts';
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

beforeAll(async () => {
  if (executable === null) return;
  [browser, owner, seeded] = await Promise.all([
    startBrowser(executable),
    personOf(service, 'owner'),
    seed(service, target),
  ]);
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

  test('shows an effect, and resolves it under the name of the person', async () => {
    const { page, complaints, close } = await visit(browser, service, owner, at('/effects'));
    await settled(page);
    await page.getByRole('row').filter({ hasText: 'Unknown' }).getByRole('link').click();
    await settled(page);
    await page.getByText('600.00 USD').first().waitFor();
    await page.getByText(MARKUP_SHOWN).waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('How you know').fill('The dashboard shows it.');
    await page.getByRole('button', { name: 'Record for good' }).click();
    await page.locator('.lead').getByText('Acknowledged').waitFor();
    await page.getByText('Resolved by a person').waitFor();
    expect(complaints).toEqual([]);
    await close();
    const { data } = (await owner.call('GET', `/api/v2/workspaces/${workspaceId}/audit`)).json as {
      data: { action: string; actor: { id: string } }[];
    };
    expect(data.find(({ action }) => action === 'effect.resolved')?.actor.id).toBe(owner.userId);
  });
});
