import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serveJson } from '../../../demo/http.ts';
import { Journal } from '../../../demo/journal.ts';
import { Ledger } from '../../../demo/payments/ledger.ts';
import { paymentRoutes } from '../../../demo/payments/routes.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { picture, settled, visit } from './support.ts';
import type { World } from './world.ts';

const run = promisify(execFile);
const PAYMENTS_KEY = 'demo_key';

/** The payment provider of `npm start`. */
async function startPayments(): Promise<string> {
  const journal = path.join(mkdtempSync(path.join(tmpdir(), 'payments-')), 'journal');
  const server = serveJson([paymentRoutes(new Ledger(new Journal(journal)), PAYMENTS_KEY)]).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closesWithFile(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'warehouse', version: '1' },
  servers: [{ url: 'https://warehouse.example.com' }],
  paths: { '/orders': { post: { operationId: 'order.create', summary: 'Orders goods', responses: {} } } },
});

/** What a person does in the console beside the five main tasks. */
export function actsOfPeople(world: World): void {
  test('the first steps lead by their commands from nothing to an approved and confirmed effect', async () => {
    const { browser, service, owner, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/welcome');
    await page.locator('.steps pre').first().waitFor();
    const env = { PATH: process.env['PATH'], OPERATOR: service.key, AGENT: service.key, PAYMENTS_KEY };
    const shell = { env: { ...env, BASE: service.baseUrl, PAYMENTS: await startPayments() } };
    const [keys = '', ...commands] = await page.locator('.steps pre').allTextContents();
    expect(keys).toContain('npm run --silent env');
    for (const command of commands) {
      const { stdout } = await run('bash', ['-c', command], shell);
      expect(JSON.parse(stdout)).toMatchObject({ success: true });
    }
    expect(commands).toHaveLength(3);
    const decide = async (lately: string): Promise<void> => {
      await page.goto('/console/welcome');
      await page.getByRole('link', { name: 'Open what waits for a decision' }).click();
      await page
        .getByRole('link', { name: /hello\.refund/ })
        .first()
        .click();
      await page.getByText(lately).waitFor();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('You have approved this.').waitFor();
    };
    // The effect that waits leads to its approval.
    await page.goto(at('/effects?action=hello.refund'));
    await page.locator('table.rows td a').first().click();
    await page.getByText('A person has to agree first.').waitFor();
    await page.locator('.lead').getByRole('link', { name: 'Open the approval' }).click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await decide('Nobody else asked for this action in the last 30 days.');
    await run('bash', ['-c', commands.at(-1) ?? ''], shell);
    await decide('it was asked for once more: 1 approved, 0 denied (0 % denied).');
    await page.goto('/console/welcome');
    await page.getByRole('link', { name: 'Open its effect, with the receipt' }).click();
    await page.waitForURL(`**${at('/effects?action=hello.refund')}`);
    await page.locator('table.rows .badge', { hasText: 'Confirmed' }).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('imports a document after its plan was seen', async () => {
    const { browser, service, owner, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, at('/actions'));
    await settled(page);
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.locator('dialog[open]');
    await dialog.getByLabel('The document, JSON or YAML').fill(DOCUMENT);
    await dialog.getByRole('button', { name: 'Plan' }).click();
    await dialog.getByRole('row').filter({ hasText: 'order.create' }).getByText('Created').waitFor();
    await picture(page, 'import');
    expect((await service.get('/api/v2/actions/order.create')).status).toBe(404);
    await dialog.getByRole('button', { name: 'Import 1 action' }).click();
    await dialog.getByText('Imported').waitFor();
    expect((await service.get('/api/v2/actions/order.create')).status).toBe(200);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'order.create' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('previews an action by a form of its input schema', async () => {
    const { browser, service, owner, target, at } = world;
    await service.post('/api/v2/actions', {
      name: 'note.create',
      adapter: {
        type: 'http.request',
        config: { method: 'POST', url: `${target.baseUrl}/echo`, body: '{{input}}' },
      },
      inputSchema: {
        type: 'object',
        required: ['customer'],
        properties: {
          customer: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
          stars: { type: 'integer' },
          kind: { enum: ['praise', 'complaint'] },
          urgent: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      governed: true,
    });
    const { page, complaints, close } = await visit(browser, service, owner, at('/actions/note.create'));
    await page.getByRole('link', { name: 'Preview' }).click();
    await page.getByLabel('customer.id').fill('cus_7');
    await page.getByLabel('stars').fill('4');
    await page.getByLabel('kind').selectOption('praise');
    await page.getByLabel('urgent').selectOption('Yes');
    await page.getByLabel('tags, as JSON').fill('["a"]');
    await page.getByRole('button', { name: 'Preview' }).click();
    const sent = await page.getByRole('region', { name: 'body' }).textContent();
    expect(JSON.parse(sent ?? '')).toEqual({
      customer: { id: 'cus_7' },
      stars: 4,
      kind: 'praise',
      urgent: true,
      tags: ['a'],
    });
    await picture(page, 'preview');
    await page.getByLabel('stars').fill('4.5');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('body.input.stars', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('tests the document of a policy by requests', async () => {
    const { browser, service, owner, at } = world;
    const { page, complaints, close } = await visit(browser, service, owner, at('/policies/test'));
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('All passed').waitFor();
    const requests = page.getByLabel('Requests with the outcome expected, JSON');
    await requests.fill((await requests.inputValue()).replace('require_approval', 'deny'));
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('1 failed').waitFor();
    await page.getByRole('cell', { name: 'effect is require_approval, and deny was expected' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('keeps the colours and the zone that somebody chose', async () => {
    const { browser, service, owner, at } = world;
    const options = { colorScheme: 'light', timezoneId: 'Asia/Kathmandu' } as const;
    const { page, close } = await visit(browser, service, owner, at('/effects'), options);
    await settled(page);
    const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const shown = (): Promise<string | null> => page.locator('td time').first().textContent();
    const [light, local] = [await ground(), await shown()];
    await page.getByRole('button', { name: 'Local time' }).click();
    await page.getByRole('button', { name: 'Test Person' }).click();
    await page.getByLabel('Colours').selectOption('Dark');
    const [dark, utc] = [await ground(), await shown()];
    expect([dark, utc]).not.toEqual([light, local]);
    expect(dark).not.toBe(light);
    expect(utc).not.toBe(local);
    await page.reload();
    await settled(page);
    expect([await ground(), await shown()]).toEqual([dark, utc]);
    await close();
  });
}
