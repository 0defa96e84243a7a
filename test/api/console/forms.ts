import { expect, test } from 'vitest';
import { settled, visit } from './support.ts';
import type { World } from './world.ts';

const REQUEST = {
  type: 'http.request',
  config: { method: 'POST', url: 'https://crm.example.com/', body: '{{input}}' },
};

/** What a form sends is what the person wrote, and what was there before. */
export function formsOfPeople(world: World): void {
  test('a number that would be rounded, and an input that is no object, are told and not sent', async () => {
    const { browser, service, owner, at } = world;
    const properties = { order: { type: 'integer' }, labels: { type: 'object', properties: {} } };
    await service.post('/api/v2/actions', {
      name: 'order.ship',
      adapter: REQUEST,
      inputSchema: { type: 'object', properties },
      governed: true,
    });
    await service.post('/api/v2/actions', { name: 'order.any', adapter: REQUEST, governed: true });
    const { page, calls, complaints, close } = await visit(browser, service, owner, at('/actions/order.ship/preview'));
    await page.getByLabel('order').fill('1000000000000000000001');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('1000000000000000000001 would be rounded').waitFor();
    await page.getByLabel('order').fill('9007199254740991');
    await page.getByLabel('labels, as JSON').fill('{"big":"9007199254740993"}');
    await page.getByRole('button', { name: 'Preview' }).click();
    const sent = await page.getByRole('region', { name: 'body' }).textContent();
    expect(JSON.parse(sent ?? '')).toEqual({ order: 9_007_199_254_740_991, labels: { big: '9007199254740993' } });
    await page.goto(at('/actions/order.any/preview'));
    await page.getByLabel('Input, as JSON').fill('["order_1"]');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('The input is a JSON object').waitFor();
    expect(calls.filter(({ path }) => path.endsWith('/previews'))).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('what is taken out of a definition is gone from its new version', async () => {
    const { browser, service, owner, at } = world;
    await service.post('/api/v2/actions', {
      name: 'order.check',
      description: 'Looks.',
      adapter: REQUEST,
      outputSchema: { type: 'object' },
      governed: true,
    });
    const { page, complaints, close } = await visit(browser, service, owner, at('/actions/order.check'));
    await settled(page);
    await page.getByRole('button', { name: 'New version' }).click();
    const definition = page.getByLabel('The definition, as JSON');
    const { description, outputSchema, ...rest } = JSON.parse(await definition.inputValue()) as Record<string, unknown>;
    expect([description, outputSchema]).toEqual(['Looks.', { type: 'object' }]);
    await definition.fill(JSON.stringify(rest));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 2 is in use.').waitFor();
    const { json } = await service.get('/api/v2/actions/order.check');
    expect(json).toMatchObject({ data: { description: null, governed: true } });
    expect(json).not.toHaveProperty('data.outputSchema');
    expect(complaints).toEqual([]);
    await close();
  });

  test('an integration is turned off', async () => {
    const { browser, service, owner, environmentId } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    const id = crypto.randomUUID();
    const at = new Date().toISOString();
    const discord = { id, provider: 'discord', name: 'On call', isActive: true, channel: null, buttons: false };
    const pagination = { page: 1, limit: 50, total: 1, totalPages: 1, hasMore: false };
    const data = [{ ...discord, createdAt: at, updatedAt: at }];
    await page.route('**/api/v2/integrations?*', (route) =>
      route.fulfill({ json: { success: true, data, pagination } }),
    );
    await page.goto(`/console/settings/integrations?e=${environmentId}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    const sent = page.waitForResponse((reply) => reply.request().method() === 'PATCH');
    await page.locator('dialog[open]').getByRole('button', { name: 'Disable' }).click();
    // The service finds nothing wrong with the request; there is only no such integration.
    expect((await sent).status()).toBe(404);
    expect((await sent).request().postDataJSON()).toEqual({ isActive: false });
    expect(complaints).toEqual([]);
    await close();
  });

  test('another alert target keeps the thresholds that were set', async () => {
    const { browser, service, owner, environmentId } = world;
    const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
    await page.route('**/api/v2/billing/budget', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const reply = await route.fetch();
      const { data, ...envelope } = (await reply.json()) as { data: object };
      return route.fulfill({ response: reply, json: { ...envelope, data: { ...data, thresholds: [75, 90] } } });
    });
    await page.goto(`/console/billing?e=${environmentId}`);
    await page.getByRole('button', { name: 'Set the target' }).click();
    await page.getByLabel('US dollars a month').fill('250');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toEqual({ target: { amount: 25_000, currency: 'usd' }, thresholds: [75, 90] });
    expect(complaints).toEqual([]);
    await close();
  });
}
