import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CORE_SCHEMA, dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../domain/json.ts';
import { checkSchema } from '../../../../domain/json-schema/json-schema.ts';
import { startFakeResend } from '../../../harness/providers/fake-resend.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { PATIENCE_MS } from '../../../harness/patience.ts';
import { startTarget, type Target } from '../../../harness/target.ts';
import { invoke } from '../../invocations/support.ts';
import { emailsDescription, everyPlaceDescription } from './own-descriptions.ts';
import { countsOf, importedBy, realDocument, type ImportedOperation } from './support.ts';

/** For a test that imports more than a thousand operations, twice. */
const IMPORT_PATIENCE_MS = 5 * PATIENCE_MS;
/** Requests that are answered while the description is read. If it were read on the event loop, none could be. */
const ANSWERS_WHILE_READ_MIN = 3;

let service: TestService;
let target: Target;
/** The server of the descriptions: `/stripe.json` and `/github.json`. */
let host: Server;
beforeAll(async () => {
  [service, target] = await Promise.all([startTestService(), startTarget()]);
  // Prepared beforehand: it takes seconds on a busy machine, and the server and the API share this event loop.
  const published = new Map(DESCRIBED.map((name) => [`/${name}.json`, asPublished(aimed(name))]));
  host = createServer((request, response) => void response.end(published.get(request.url ?? '')));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
}, IMPORT_PATIENCE_MS);
afterAll(async () => {
  await new Promise((resolve) => host.close(resolve));
});

const importing = async (body: JsonObject): Promise<ImportedOperation[]> =>
  importedBy(await service.post('/api/v2/actions/import', body));

const DESCRIBED = ['stripe', 'github'] as const;

/** The description, with our target as its server. */
const aimed = (name: (typeof DESCRIBED)[number]): JsonObject => ({
  ...realDocument(name),
  servers: [{ url: target.baseUrl }],
});

/** Indented by two spaces, which makes GitHub's 13 MB. */
const asPublished = (document: JsonObject): string => JSON.stringify(document, null, 2);

const UPLOAD = 'its body is multipart/form-data, which cannot be written, and it is required';

/** The number of operations of each, and how many cannot be imported: far fewer than the allowed 5 %. */
describe.each([
  ['stripe', 452, [{ operationId: 'PostFiles', name: 'stripe.post-files', status: 'skipped', reason: UPLOAD }]],
  ['github', 1_223, []],
] as const)('the description of %s', (name, count, skipped) => {
  it(
    'becomes actions, all but a few that say why; health is answered all the while; again as YAML, nothing changes',
    async () => {
      const { port } = host.address() as AddressInfo;
      const settings = { namePrefix: `${name}.`, secret: 'TOKEN' };
      const state = { isDone: false };
      const planning = vi.spyOn(service.deps.importPlanner, 'run');
      const isRead = (): boolean => planning.mock.settledResults.at(-1)?.type === 'incomplete';
      const importingIt = importing({ url: `http://127.0.0.1:${port}/${name}.json`, ...settings }).finally(() => {
        state.isDone = true;
      });
      let answeredWhileRead = 0;
      while (!state.isDone) {
        const wasRead = isRead();
        expect((await service.get('/healthz')).status).toBe(200);
        if (wasRead && isRead()) answeredWhileRead++;
        await pause(10); // so that polling does not take a core from the import
      }
      const operations = await importingIt;
      planning.mockRestore();
      expect(answeredWhileRead).toBeGreaterThanOrEqual(ANSWERS_WHILE_READ_MIN);
      expect(operations).toHaveLength(count);
      expect(operations.filter(({ status }) => status !== 'created')).toEqual(skipped);

      const rows = await service.database.asOwner<{ definition: { inputSchema: JsonObject } }>(
        `SELECT v.definition FROM action_versions v JOIN actions a ON a.id = v.action_id WHERE a.name LIKE $1`,
        [`${name}.%`],
      );
      expect(rows).toHaveLength(count - skipped.length);
      const sample = rows.filter((_, index) => index % 25 === 0);
      for (const { definition } of sample) expect(checkSchema(definition.inputSchema)).toEqual([]);

      const yaml = dump(aimed(name), { schema: CORE_SCHEMA, noRefs: true, lineWidth: -1 });
      const again = countsOf(await importing({ document: yaml, ...settings }));
      expect(again).toEqual({
        unchanged: count - skipped.length,
        ...(skipped.length > 0 ? { skipped: skipped.length } : {}),
      });
    },
    IMPORT_PATIENCE_MS,
  );
});

describe('an imported action', () => {
  async function secret(name: string, value: string): Promise<void> {
    const reply = await service.call('PUT', `/api/v2/secrets/${name}`, { key: service.key, body: { value } });
    if (![200, 201].includes(reply.status)) throw new Error(`${reply.status} ${reply.text}`);
  }

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
    IMPORT_PATIENCE_MS,
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
    IMPORT_PATIENCE_MS,
  );

  it(
    'of Resend’s two calls is invoked, and Resend has the email: JSON, the secret, and the idempotency key',
    async () => {
      const resend = await startFakeResend();
      try {
        await secret('RESEND_KEY', resend.fullKey);
        const document = emailsDescription(resend.baseUrl);
        expect(await importing({ document, namePrefix: 'resend.', secret: 'RESEND_KEY' })).toEqual([
          { operationId: 'emails/send', name: 'resend.emails.send', status: 'created', governed: true },
          { operationId: 'emails/get', name: 'resend.emails.get', status: 'created', governed: false },
        ]);
        const email = { from: 'Acme <hi@acme.example>', to: ['ada@example.com'], subject: 'Hello', text: 'It works.' };
        const { invocation } = await invoke(service, 'resend.emails.send', { input: { body: email } });
        expect(invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
        const [sent] = resend.emails;
        expect(sent).toMatchObject({ email, key: invocation.effectId ?? invocation.id });

        const path = { email_id: sent?.id ?? '' };
        const read = await invoke(service, 'resend.emails.get', { input: { path } });
        expect(read.invocation.result).toMatchObject({ body: { ...email, last_event: 'delivered' } });
        expect(resend.requests).toHaveLength(2);

        const neither = { ...email, to: 7 };
        const refused = await service.post('/api/v2/actions/resend.emails.send/invoke', { input: { body: neither } });
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('input.body.to') as string]);
        expect(resend.requests).toHaveLength(2);
      } finally {
        await resend.close();
      }
    },
    IMPORT_PATIENCE_MS,
  );

  it(
    'puts each value where it belongs: path, query, header, cookie, body, and a secret of each kind',
    async () => {
      // The name of a secret that the import chooses begins with the host that the secret is sent to.
      const host = `host-${target.host.replace(':', '_')}`;
      for (const scheme of ['inHeader', 'inQuery', 'inCookie']) {
        await secret(`${host}.${scheme}`, `the secret ${scheme}`);
      }
      await secret(`${host}.login`, Buffer.from('user:password').toString('base64'));
      const document = everyPlaceDescription(target.baseUrl);
      const imported = await importing({ document, namePrefix: 'every.' });
      expect(imported.map(({ name, status }) => [name, status])).toEqual([
        ['every.things.put', 'created'],
        ['every.things.find', 'created'],
      ]);
      const input = {
        path: { id: 'a/b ü' },
        query: { tags: ['x&y', 'z'], since: '2026-01-01T00:00:00Z', filter: { state: 'open' } },
        headers: { 'X-Trace': 'trace-1', 'X-List': ['p', 'q'] },
        cookies: { theme: 'dark; no' },
        body: { title: '{{input.path.id}}', size: 3 },
      };
      await invoke(service, 'every.things.put', { input });
      const [sent] = await target.requests('/every/a%2Fb%20%C3%BC/part');
      expect(sent).toMatchObject({
        method: 'PUT',
        url:
          '/every/a%2Fb%20%C3%BC/part?key=the%20secret%20inQuery&tags=x%26y,z&since=2026-01-01T00%3A00%3A00Z' +
          '&filter%5Bstate%5D=open',
        headers: {
          'content-type': 'application/merge-patch+json',
          'x-key': 'the secret inHeader',
          'x-trace': 'trace-1',
          'x-list': 'p,q',
          cookie: 'theme=dark%3B%20no; session=the%20secret%20inCookie',
        },
        body: '{"size":3,"title":"{{input.path.id}}"}',
      });

      await invoke(service, 'every.things.find', { input: {} });
      const [found] = await target.requests('/every/');
      expect(found).toMatchObject({ method: 'GET', url: '/every/', body: '' });
      expect(found?.headers['authorization']).toBe(`Basic ${Buffer.from('user:password').toString('base64')}`);
      expect(found?.headers).not.toHaveProperty('cookie');
      expect(found?.headers).not.toHaveProperty('content-type');

      const rows = await service.database.asOwner<{ text: string }>(
        `SELECT v.definition::text AS text FROM action_versions v JOIN actions a ON a.id = v.action_id WHERE a.name LIKE 'every.%'`,
      );
      for (const { text } of rows) expect(text).not.toContain('the secret');
    },
    IMPORT_PATIENCE_MS,
  );
});
