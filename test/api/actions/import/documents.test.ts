import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../domain/json.ts';
import { checkSchema } from '../../../../domain/json-schema.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { startTarget, type Target } from '../../../harness/target.ts';
import { invoke } from '../../invocations/support.ts';
import { countsOf, importedBy, realDocument, type ImportedOperation } from './support.ts';

const PATIENCE_MS = 300_000;
const IMPORTED_SHARE_MIN = 0.95;

let service: TestService;
let target: Target;
beforeAll(async () => {
  [service, target] = await Promise.all([startTestService(), startTarget()]);
}, PATIENCE_MS);
afterAll(async () => {
  await target?.stop();
  await service?.close();
});

const importing = async (body: JsonObject): Promise<ImportedOperation[]> =>
  importedBy(await service.post('/api/v2/actions/import', body));

/** The description, with our target for its server. */
const aimed = (name: 'stripe' | 'github'): JsonObject => ({
  ...realDocument(name),
  servers: [{ url: target.baseUrl }],
});

describe.each([
  ['stripe', 452],
  ['github', 1_223],
] as const)('the description of %s', (name, count) => {
  it(
    'becomes actions, all but a few that say why; health is answered all the while; again, nothing changes',
    async () => {
      const body = { document: JSON.stringify(aimed(name)), namePrefix: `${name}.`, secret: 'TOKEN' };
      const state = { isDone: false };
      const importingIt = importing(body).finally(() => {
        state.isDone = true;
      });
      let answered = 0;
      while (!state.isDone) {
        expect((await service.get('/healthz')).status).toBe(200);
        answered++;
      }
      const operations = await importingIt;
      // Were it planned on the event loop, hardly one could have come between.
      expect(answered).toBeGreaterThan(50);
      expect(operations).toHaveLength(count);
      expect(countsOf(operations)['created'] ?? 0).toBeGreaterThanOrEqual(count * IMPORTED_SHARE_MIN);
      const skipped = operations.filter(({ status }) => status === 'skipped');
      for (const { reason } of skipped) expect(reason).toMatch(/\w{3}/);

      const rows = await service.database.asOwner<{ definition: { inputSchema: JsonObject } }>(
        `SELECT v.definition FROM action_versions v JOIN actions a ON a.id = v.action_id WHERE a.name LIKE $1`,
        [`${name}.%`],
      );
      expect(rows).toHaveLength(countsOf(operations)['created'] ?? 0);
      const sample = rows.filter((_, index) => index % 25 === 0);
      for (const { definition } of sample) expect(checkSchema(definition.inputSchema)).toEqual([]);

      const again = await importing(body);
      expect(countsOf(again)).toEqual({
        unchanged: countsOf(operations)['created'],
        ...(countsOf(operations)['skipped'] === undefined ? {} : { skipped: countsOf(operations)['skipped'] }),
      });
    },
    PATIENCE_MS,
  );
});

describe('an imported action', () => {
  const secret = (name: string, value: string) =>
    service.call('PUT', `/api/v2/secrets/${name}`, { key: service.key, body: { value } });

  it(
    'of Stripe is invoked: a nested form, and the secret',
    async () => {
      await secret('TOKEN', 'sk_test_imported');
      const operations = ['PostPaymentIntents', 'GetCustomers'];
      await importing({ document: aimed('stripe'), operations, namePrefix: 'run.', secret: 'TOKEN' });
      const body = {
        amount: 500,
        currency: 'usd',
        metadata: { order: 'a&b' },
        payment_method_types: ['card'],
        shipping: { name: 'N', address: { city: 'Köln' } },
      };
      await invoke(service, 'run.post-payment-intents', { input: { body } });
      const [sent] = await target.requests('/v1/payment_intents');
      expect(sent).toMatchObject({
        method: 'POST',
        headers: {
          authorization: 'Bearer sk_test_imported',
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
      });
      expect(Object.fromEntries(new URLSearchParams(sent?.body ?? ''))).toEqual({
        amount: '500',
        currency: 'usd',
        'metadata[order]': 'a&b',
        'payment_method_types[0]': 'card',
        'shipping[name]': 'N',
        'shipping[address][city]': 'Köln',
      });

      await invoke(service, 'run.get-customers', {
        input: { query: { limit: 3, created: { gte: 5 }, expand: ['data.sources'] } },
      });
      const [listed] = await target.requests('/v1/customers');
      const query = new URL(listed?.url ?? '', target.baseUrl).searchParams;
      expect(Object.fromEntries(query)).toEqual({ limit: '3', 'created[gte]': '5', 'expand[0]': 'data.sources' });

      const wrong = { amount: 'many', currency: 'usd' };
      const refused = await service.post('/api/v2/actions/run.post-payment-intents/invoke', { input: { body: wrong } });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('input.body.amount') as string]);
    },
    PATIENCE_MS,
  );

  it(
    'of GitHub is invoked: path, query and a JSON body',
    async () => {
      await secret('TOKEN', 'ghp_imported');
      const operations = ['issues/create', 'issues/list-for-repo'];
      await importing({ document: aimed('github'), operations, namePrefix: 'run.', secret: 'TOKEN' });
      const path = { owner: 'o', repo: 'r r' };
      await invoke(service, 'run.issues.create', { input: { path, body: { title: 'T', labels: ['bug'] } } });
      const [created] = await target.requests('/repos/o/r%20r/issues');
      expect(created).toMatchObject({
        method: 'POST',
        headers: { authorization: 'Bearer ghp_imported', 'content-type': 'application/json' },
        body: '{"labels":["bug"],"title":"T"}',
      });
      await target.reset();
      await invoke(service, 'run.issues.list-for-repo', { input: { path, query: { state: 'open', per_page: 5 } } });
      const [listed] = await target.requests('/repos/o/r%20r/issues');
      expect(listed?.url).toBe('/repos/o/r%20r/issues?state=open&per_page=5');
    },
    PATIENCE_MS,
  );
});
