import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXAMPLES_FILE, type OperationExample } from '../../../api/reference/describe-with-examples.ts';
import { textOf } from '../../../api/openapi/documents.ts';
import { ROUTES } from '../../../api/routes.ts';
import { isJsonObject, type Json } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startDestination } from '../messages/support.ts';
import { createWorld } from '../suites/create-world.ts';
import { EXAMPLE_KEY, StableExample } from './stable-example.ts';
import { exampleFindings, recordExamples } from './record-examples.ts';

/** Read where it is asked for: the first test may have written it. */
const committed = () => JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Record<string, OperationExample>;

// With a Date of its own: the digest of a response must not depend on the second in which it was given.
const provider = await startDestination();
const refund = JSON.stringify({ id: 're_4YdK', payment: 'pay_1002', amount: 1_250, state: 'succeeded' });
provider.answer('/v1/refunds', {
  status: 201,
  headers: { 'Content-Type': 'application/json', Date: 'Mon, 02 Mar 2026 10:15:00 GMT' },
  body: refund,
});
const world = await createWorld({ api: await startTestService(), targetUrl: `${provider.baseUrl}/v1/refunds` });

describe('api/reference/examples.json', () => {
  // `npm run openapi:examples` runs this test with --update, which rewrites the file.
  it('is what the API answers', async () => {
    const examples = await recordExamples(world, ROUTES);
    await expect(`${textOf(examples as unknown as Json)}\n`).toMatchFileSnapshot(
      '../../../api/reference/examples.json',
    );
  });

  it('names no route that there is not', () => {
    expect(Object.keys(committed())).toEqual(ROUTES.map(({ id }) => id));
  });

  it.each(ROUTES.map((route) => [route.id, route] as const))('%s conforms to the route', (id, route) => {
    expect(exampleFindings(route, committed()[id])).toEqual([]);
  });

  it('holds no credential and nothing of the machine that recorded it', () => {
    const text = JSON.stringify(committed());
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|example\.test/);
    const shown = [...text.matchAll(/(?:service_live_|whsec_)([^"]*)/g)].map(([, random]) => random ?? '');
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.filter((random) => !EXAMPLE_KEY.startsWith(random))).toEqual([]);
  });
});

describe('periods of an example', () => {
  const shownOn = (day: string, next: string): Json =>
    new StableExample(Date.parse(`${day}T12:00:00Z`)).of({
      limit: { period: 'day', currentPeriod: day, resetsAt: `${next}T00:00:00.000Z` },
      budget: { period: 'month', currentPeriod: day.slice(0, 7), resetsAt: '2026-12-01T00:00:00.000Z' },
    });
  it.each([
    ['2026-11-01', '2026-11-02'],
    ['2026-11-23', '2026-11-24'],
    ['2026-11-30', '2026-12-01'],
  ])('are the same when it is recorded on %s', (day, next) => {
    expect(shownOn(day, next)).toEqual({
      limit: { period: 'day', currentPeriod: '2026-03-02', resetsAt: '2026-03-03T00:00:00.000Z' },
      budget: { period: 'month', currentPeriod: '2026-03', resetsAt: '2026-04-01T00:00:00.000Z' },
    });
  });
});

describe('buckets of an example', () => {
  const shownAt = (now: string, range: { from: string; to: string; interval: string }): Json =>
    new StableExample(Date.parse(now)).of({ range, buckets: [{ start: range.from, end: range.to }] });
  it.each([
    ['2026-11-23T10:00:01Z', '2026-11-23T09:30:00Z', '2026-11-23T10:15:00Z'],
    ['2026-11-23T10:14:59Z', '2026-11-23T09:30:00Z', '2026-11-23T10:15:00Z'],
    ['2026-11-30T23:59:59Z', '2026-11-30T23:15:00Z', '2026-12-01T00:00:00Z'],
    ['2026-12-01T00:00:01Z', '2026-11-30T23:30:00Z', '2026-12-01T00:15:00Z'],
  ])('are the same quarters when it is recorded at %s', (now, from, to) => {
    const bounds = { start: '2026-03-02T09:45:00.000Z', end: '2026-03-02T10:30:00.000Z' };
    expect(shownAt(now, { from, to, interval: '15m' })).toEqual({
      range: { from: bounds.start, to: bounds.end, interval: '15m' },
      buckets: [bounds],
    });
  });

  it.each([
    ['2026-11-30T12:00:00Z', '2026-11-28', '2026-12-01'],
    ['2026-12-01T00:00:01Z', '2026-11-29', '2026-12-02'],
    ['2026-12-03T23:59:59Z', '2026-12-01', '2026-12-04'],
  ])('are the same days when it is recorded at %s', (now, from, to) => {
    const bounds = { start: '2026-02-28T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' };
    const range = { from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z`, interval: 'day' };
    expect(shownAt(now, range)).toEqual({
      range: { from: bounds.start, to: bounds.end, interval: 'day' },
      buckets: [bounds],
    });
  });
});

describe('an example', () => {
  const route = ROUTES.find(({ id }) => id === 'secrets.put');
  if (route === undefined) throw new Error('there is no route secrets.put');
  const example = (): OperationExample => {
    const found = committed()['secrets.put'];
    if (found === undefined) throw new Error('secrets.put has no example');
    return structuredClone(found);
  };

  it('is missed', () => {
    expect(exampleFindings(route, undefined)).toEqual([expect.stringContaining('it has no example')]);
  });

  it.each<[string, (faulty: OperationExample) => void]>([
    ['a status that is not declared', ({ response }) => (response.status = 204)],
    ['a field that the reply lacks', ({ response }) => delete dataOf(response.body)['name']],
    ['a field that the reply does not have', ({ response }) => (dataOf(response.body)['value'] = 'shown')],
    ['a body that is refused', ({ request }) => (request.body = { value: 7 })],
    ['a parameter that is refused', ({ request }) => (request.params = { name: '' })],
    ['a query that is not taken', ({ request }) => (request.query = { unexpected: '1' })],
  ])('with %s is found', (_, plant) => {
    const faulty = example();
    plant(faulty);
    expect(exampleFindings(route, faulty)).not.toEqual([]);
  });
});

function dataOf(reply: OperationExample['response']['body']): Record<string, Json> {
  if (typeof reply === 'string' || !isJsonObject(reply['data'])) throw new Error('the example has no data');
  return reply['data'];
}
