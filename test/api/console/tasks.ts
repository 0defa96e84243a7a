import { expect, test } from 'vitest';
import { approvalPath } from '../../../domain/console-links.ts';
import { press, type } from './keyboard.ts';
import { moved, picture, settled, visit } from './support.ts';
import type { World } from './world.ts';

/** The five main tasks, and an act on many. */
export function mainTasks(world: World): void {
  test('is decided, resolved, retried, halted and given keys by keyboard alone, each under the name of the person', async () => {
    const { browser, service, owner, at, environmentId, approvalId } = world;
    const { page, complaints, close } = await visit(browser, service, owner, at('/overview'));
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
    const keys = async (...typed: string[]): Promise<void> => {
      for (const key of typed) await (key === 'Enter' ? page.keyboard.press(key) : page.keyboard.type(key));
    };
    await settled(page);

    // Find out about an unknown effect, and resolve it.
    await moved(page, () => keys('g', 'e'), `**${at('/effects')}`);
    await settled(page);
    await moved(page, () => keys('j', 'Enter'), '**/effects/eff_*');
    await settled(page);
    await press(page, button('Resolve'));
    await type(page, page.getByLabel('How you know'), 'The dashboard shows it.');
    await press(page, button('Record for good'));
    await page.locator('.lead').getByText('Acknowledged').waitFor();

    // Retry what is dead.
    await moved(page, () => keys('g', 'd'), `**${at('/dlq')}`);
    await settled(page);
    await keys('j', 'Enter');
    await press(page, button('Retry'));
    const retry = page.locator('dialog[open]').getByRole('button', { name: 'Retry', exact: true });
    await moved(page, () => press(page, retry), '**/messages/msg_*');

    // Halt and resume.
    await moved(page, () => keys('/', 'environments', 'Enter'), '**/settings/environments*');
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
    await moved(page, () => keys('/', 'keys', 'Enter'), '**/settings/keys*');
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
    expect(await audited(world)).toEqual(
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
    const { browser, service, owner, target, at } = world;
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
}

/** What the person did, by the entries that say how they were authenticated. */
async function audited({ owner, service }: World): Promise<string[]> {
  const { workspaceId } = service.database.tenant;
  const { data } = (await owner.call('GET', `/api/v2/workspaces/${workspaceId}/audit?limit=100&actor=${owner.userId}`))
    .json as { data: { action: string; authentication: { method: string; at: string | null } | null }[] };
  return data
    .filter(({ authentication }) => authentication?.method === 'password' && authentication.at !== null)
    .map(({ action }) => action);
}
