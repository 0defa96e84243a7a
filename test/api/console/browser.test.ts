import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import type { TestPerson } from '../harness/people.ts';
import { createAction, invoke } from '../invocations/support.ts';
import { barriers } from '../pages/browser-support.ts';
import { personOf, picture, settled, signInOnPage, visit } from './support.ts';

/** The console in a real browser, over one service for all tests: from the sign-in to a change that the audit log names. */
const executable = chromiumPath();
const MARKUP = `<img src=x onerror=alert(1)>"'&amp; \u202Egnp.exe`;
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { environmentId } = service.database.tenant;
const at = (path: string): string => `/console/e/${environmentId}${path}`;

let browser: Browser;
let owner: TestPerson;
let unknownId: string;

beforeAll(async () => {
  if (executable === null) return;
  [browser, owner] = await Promise.all([startBrowser(executable), personOf(service, 'owner')]);
  const impact = [{ dimension: 'money', currency: 'usd', amount: { const: 60_000 }, bound: 'exact' }];
  const lost = await createAction(service, { url: `${target.baseUrl}/status?status=503` }, { impact });
  unknownId = (await invoke(service, lost)).invocation.effectId ?? '';
  const reply = await service.post('/api/v2/actions', {
    name: 'refund.create',
    description: MARKUP,
    adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/echo` } },
    governed: true,
    impact,
  });
  if (reply.status !== 201) throw new Error(reply.text);
  await invoke(service, 'refund.create');
  await service.post(`/api/v2/actions/effects/${unknownId}/notes`, { note: MARKUP });
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

  test('shows an effect, and resolves it under the name of the person', async () => {
    const { page, complaints, close } = await visit(browser, service, owner, at('/effects'));
    await settled(page);
    await picture(page, 'effects');
    await page.getByRole('row').filter({ hasText: 'Unknown' }).getByRole('link').click();
    await settled(page);
    await page.getByText('600.00 USD').first().waitFor();
    await page.getByText(MARKUP.replace('\u202E', 'U+202E')).waitFor();
    await picture(page, 'effect');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByLabel('How you know').fill('The dashboard shows it.');
    await page.getByRole('button', { name: 'Record for good' }).click();
    await page.locator('.lead').getByText('Acknowledged').waitFor();
    await page.getByText('Resolved by a person').waitFor();
    expect(complaints).toEqual([]);
    await close();
    const { data } = (await owner.call('GET', `/api/v2/workspaces/${service.database.tenant.workspaceId}/audit`))
      .json as {
      data: { action: string; actor: { id: string } }[];
    };
    expect(data.find(({ action }) => action === 'effect.resolved')?.actor.id).toBe(owner.userId);
  });

  test.each([
    ['light', 1_280],
    ['dark', 1_280],
    ['light', 320],
    ['dark', 320],
  ] as const)('has no barrier and no sideways scroll, %s at %i px', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 800 } };
    const { page, complaints, close } = await visit(browser, service, owner, at('/effects'), options);
    for (const [name, path] of [
      ['effects', '/effects'],
      ['effect', `/effects/${unknownId}`],
    ] as const) {
      await page.goto(at(path));
      await settled(page);
      await picture(page, `${name}-${colorScheme}-${width}`);
      expect(await barriers(page), name).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width);
    }
    expect(complaints).toEqual([]);
    await close();
  });
});
