import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { approvalPath } from '../../../domain/console-links.ts';
import { foldAllFacts } from '../../../db/analytics/directory.ts';
import { chromiumPath, startBrowser } from '../../harness/browser.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createPerson } from '../harness/people.ts';
import { tell } from './story.ts';
import { drawn, settled, visit } from './support.ts';

/** The pictures of docs/console.md. `npm run docs:console` makes them all from a stack of their own; without it they are only counted. */
const FOLDER = 'docs/images/';
const PREFIX = 'console-';
const BYTES_MAX = 60_000;
const COUNT_MAX = 12;
const QUALITY = 60;
const DESKTOP = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 844 };

const executable = process.env['CONSOLE_PICTURES'] === undefined ? null : chromiumPath();

const EVERY_CHART_IS_DRAWN = `[...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('canvas') !== null)`;

/** As WebP, which the browser writes itself. */
async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  writeFileSync(`${FOLDER}${PREFIX}${name}.webp`, Buffer.from(data, 'base64'));
}

describe.skipIf(executable === null)('npm run docs:console', () => {
  test('makes every picture', async () => {
    const [service, target] = await Promise.all([startTestService(), startTarget()]);
    const [browser, owner, story] = await Promise.all([
      startBrowser(executable ?? ''),
      createPerson(service, 'owner', { email: 'ada@example.com' }),
      tell(service, target),
    ]);
    await service.database.asOwner(`UPDATE users SET name = 'Ada Lovelace' WHERE id = $1`, [owner.userId]);
    await service.database.asOwner(`UPDATE workspaces SET name = 'A shop'`);
    await foldAllFacts(service.database.db);
    const { environmentId } = service.database.tenant;
    const at = (path: string): string => `/console/e/${environmentId}${path}`;
    const complained: string[] = [];
    const shoot = async (
      name: string,
      place: string,
      { viewport = DESKTOP, colorScheme = 'light', act }: Shot = {},
    ): Promise<void> => {
      const { page, complaints, close } = await visit(browser, service, owner, place, { viewport, colorScheme });
      await page.locator('h1').waitFor();
      if (place.startsWith('/console/e/')) await settled(page);
      await act?.(page);
      await expect.poll(() => page.evaluate(EVERY_CHART_IS_DRAWN)).toBe(true);
      await drawn(page);
      await take(page, name);
      complained.push(...complaints);
      await close();
    };
    await shoot('overview', at('/overview'));
    await shoot('overview-dark', at('/overview'), { colorScheme: 'dark' });
    await shoot('effect', at(`/effects/${story.unknownEffect}`));
    await shoot('effects-phone', at('/effects'), { viewport: PHONE });
    await shoot('approval', approvalPath(environmentId, story.approval));
    await shoot('approval-phone', approvalPath(environmentId, story.approval), { viewport: PHONE });
    await shoot('run', at(`/runs/${story.run}`));
    await shoot('policy', at(`/policies/${story.policy}`));
    await shoot('preview', at('/actions/refund.create/preview'), {
      act: async (page) => {
        await page.getByLabel('payment').fill('pay_1004');
        await page.getByLabel('amount').fill('1250');
        await page.getByRole('button', { name: 'Preview' }).click();
        await page.getByRole('heading', { name: 'What would be sent' }).waitFor();
      },
    });
    await shoot('limits', at('/limits'));
    await shoot('dead-letters', at('/dlq'), {
      act: async (page) => {
        await page.getByRole('button', { name: /^Retry 1/ }).click();
        await page.getByText('Filter:').waitFor();
      },
    });
    await browser.close();
    expect(complained).toEqual([]);
  });
});

interface Shot {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  /** What is done before the picture. */
  act?: (page: Page) => Promise<void>;
}

describe('the pictures of docs/console.md', () => {
  const made = (): string[] =>
    readdirSync(FOLDER)
      .filter((name) => name.startsWith(PREFIX))
      .sort();

  test('are small, few, and all shown', () => {
    const names = made();
    const shown = [...readFileSync('docs/console.md', 'utf8').matchAll(/\]\(images\/([^)]+)\)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(shown)).toEqual(new Set(names));
    expect(names.length).toBeLessThanOrEqual(COUNT_MAX);
    expect(names.filter((name) => statSync(`${FOLDER}${name}`).size > BYTES_MAX)).toEqual([]);
  });

  test('are made by the command, each of them', () => {
    const source = readFileSync(import.meta.filename, 'utf8');
    const shot = [...source.matchAll(/shoot\('([\w-]+)'/g)].map(([, name = '']) => `${PREFIX}${name}.webp`);
    expect(new Set(shot)).toEqual(new Set(made()));
  });
});
