import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runSchema, runWithCountsSchema, spanSchema, upsertedSchema } from '../../../api/runs/schemas.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, `/api/v2/runs${path}`, { key, ...(body === undefined ? {} : { body }) });
const begin = async (body: object = {}) => dataOf(await call('POST', '', body), runSchema);
const write = async (id: string, ...spans: object[]) =>
  dataOf(await call('POST', `/${id}/spans`, { spans }), upsertedSchema);
const level = async (id: string, query = '') => dataOf(await call('GET', `/${id}/spans${query}`), z.array(spanSchema));
const hex = (number: number): string => number.toString(16).padStart(16, '0');
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

describe('a run', () => {
  test('ends once; then only its tags and its metadata change', async () => {
    const { id, status, endedAt } = await begin({ name: 'a' });
    expect([status, endedAt]).toEqual(['running', null]);
    const ended = dataOf(
      await call('PATCH', `/${id}`, { status: 'failed', error: { message: 'x' } }),
      runWithCountsSchema,
    );
    expect(ended).toMatchObject({ status: 'failed', error: { message: 'x' } });
    expect(ended.durationMs).toBe(Date.parse(ended.endedAt ?? '') - Date.parse(ended.startedAt));
    for (const change of [{ status: 'succeeded' }, { name: 'b' }, { output: 1 }, { tokens: 1, tags: ['x'] }]) {
      expect((await call('PATCH', `/${id}`, change)).status, JSON.stringify(change)).toBe(409);
    }
    const tagged = dataOf(await call('PATCH', `/${id}`, { tags: ['x'], metadata: { a: 1 } }), runWithCountsSchema);
    expect(tagged).toMatchObject({ tags: ['x'], metadata: { a: 1 }, status: 'failed', name: 'a' });
    const moved = api.database.asOwner(
      "UPDATE runs SET status = 'running', ended_at = NULL, closed_at = NULL WHERE id = $1",
      [id],
    );
    await expect(moved).rejects.toThrow('has ended');
  });

  test('is found by each filter', async () => {
    const mine = { agentId: 'filter-a', userId: 'filter-u', application: 'filter-p', tags: ['filter-t', 'other'] };
    const { id, startedAt } = await begin(mine);
    await begin({ agentId: 'another' });
    const later = new Date(Date.parse(startedAt) + 1).toISOString();
    for (const query of ['agentId=filter-a', 'userId=filter-u', 'application=filter-p', 'tag=filter-t']) {
      const found = dataOf(
        await call('GET', `?${query}&status=running&startDate=${startedAt}&endDate=${later}`),
        z.array(runSchema),
      );
      expect(
        found.map((run) => run.id),
        query,
      ).toEqual([id]);
    }
    expect((await call('GET', '?agentId=filter-a&status=failed')).json).toMatchObject({ data: [] });
  });
});

describe('spans', () => {
  test('may come before their parents; a level shows its own, in order, with the number of their children', async () => {
    const { id } = await begin();
    const written = await write(
      id,
      { id: hex(3), parentId: hex(2), name: 'leaf', startedAt: at(3) },
      { id: hex(9), parentId: hex(8), name: 'lost', startedAt: at(0) },
      { id: hex(5), parentId: hex(1), name: 'second', startedAt: at(5) },
      { id: hex(4), parentId: hex(1), name: 'second too', startedAt: at(5) },
      { id: hex(2), parentId: hex(1), name: 'first', startedAt: at(2) },
    );
    expect(written).toEqual({ accepted: 5, rejected: [] });
    const shown = async (query = '') => (await level(id, query)).map((one) => [one.name, one.childCount, one.orphan]);
    expect(await shown()).toEqual([
      ['lost', 0, true],
      ['first', 1, true],
      ['second too', 0, true],
      ['second', 0, true],
    ]);
    await write(id, { id: hex(1), name: 'root', startedAt: at(1), kind: 'agent' });
    expect(await shown()).toEqual([
      ['lost', 0, true],
      ['root', 3, false],
    ]);
    expect(await shown(`?parentId=${hex(1)}`)).toEqual([
      ['first', 1, false],
      ['second too', 0, false],
      ['second', 0, false],
    ]);
    expect(dataOf(await call('GET', `/${id}`), runWithCountsSchema).counts).toEqual({
      spans: 6,
      invocations: 0,
      effects: 0,
      approvals: 0,
    });
  });

  test('are upserted: a later part adds to what is there, and takes nothing away', async () => {
    const { id } = await begin();
    await write(id, {
      id: hex(1),
      name: 'chat',
      kind: 'model',
      startedAt: at(1),
      input: { q: 1 },
      attributes: { a: 1 },
    });
    await write(id, {
      id: hex(1),
      endedAt: at(3),
      output: 'x',
      tokens: { input: 5, output: 6 },
      attributes: { b: 2 },
      input: null,
    });
    const span = dataOf(await call('GET', `/${id}/spans/${hex(1)}`), spanSchema);
    expect(span).toMatchObject({
      name: 'chat',
      kind: 'model',
      status: 'succeeded',
      durationMs: 2_000,
      input: { q: 1 },
      output: 'x',
      tokens: { input: 5, output: 6 },
      attributes: { a: 1, b: 2 },
    });
    const patched = dataOf(await call('PATCH', `/${id}/spans/${hex(1)}`, { cost: 0.5 }), spanSchema);
    expect(patched).toMatchObject({ cost: 0.5, output: 'x', status: 'succeeded' });
    expect((await call('PATCH', `/${id}/spans/${hex(2)}`, { cost: 0.5 })).status).toBe(404);
    expect((await call('PATCH', `/${id}/spans/${hex(1)}`, { endedAt: at(0) })).status).toBe(400);
  });

  test('merge the parts of a span in any order, and keep members that a later part omits', async () => {
    const id = hex(1);
    const start = {
      id,
      name: 'chat',
      parentId: hex(7),
      traceId: 'a'.repeat(32),
      kind: 'model',
      startedAt: at(1),
      cost: 1,
    };
    const end = { id, name: 'chat', endedAt: at(3), output: 'x', tokens: { input: 5 } };
    for (const parts of [
      [start, end],
      [end, start],
    ]) {
      const run = (await begin()).id;
      for (const part of parts) expect((await write(run, part)).accepted).toBe(1);
      const span = dataOf(await call('GET', `/${run}/spans/${id}`), spanSchema);
      expect(span).toMatchObject({ ...start, ...end, tokens: { input: 5, output: null }, status: 'succeeded' });
    }
  });

  test('that cannot be written are named, and the others are written', async () => {
    const { id } = await begin();
    const written = await write(
      id,
      { id: hex(1), name: 'root' },
      { id: hex(2), startedAt: at(2), endedAt: at(1) },
      { id: hex(3), parentId: hex(3), name: 'own' },
    );
    expect(written.accepted).toBe(1);
    expect(written.rejected.map(({ index }) => index)).toEqual([1, 2]);
    expect((await level(id)).map(({ name }) => name)).toEqual(['root']);
  });

  test('have at most 64 KiB of attributes, however many parts bring them', async () => {
    const { id } = await begin();
    const part = (...names: string[]) => ({
      id: hex(1),
      attributes: Object.fromEntries(names.map((name) => [name, 'x'.repeat(20_000)])),
    });
    expect((await write(id, part('a', 'b'))).accepted).toBe(1);
    // Two thirds of it are there already.
    expect((await write(id, part('a', 'b', 'c'))).accepted).toBe(1);
    const { accepted, rejected } = await write(id, part('d'), { id: hex(2), name: 'other' });
    expect([accepted, rejected]).toMatchObject([1, [{ index: 0, message: expect.stringContaining('65536 bytes') }]]);
    const refused = await call('PATCH', `/${id}/spans/${hex(1)}`, { attributes: part('d').attributes });
    expect([refused.status, errorOf(refused).code]).toEqual([400, 'VALIDATION_ERROR']);
    const span = dataOf(await call('GET', `/${id}/spans/${hex(1)}`), spanSchema);
    expect(Object.keys(span.attributes ?? {})).toEqual(['a', 'b', 'c']);
  });

  test('have as many attributes as fit, however many parts bring them: new ones are measured as those that are there', async () => {
    const { id } = await begin();
    const part = (from: number, to: number, value: number) => ({
      id: hex(value === 1 ? 1 : 2),
      attributes: Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`a${from + index}`, value])),
    });
    const many = part(10_000, 15_900, 1); // 11 bytes each, as `"a10000":1,`
    const small = (name: string) => ({ id: hex(1), attributes: { [name]: 1 } });
    for (const sent of [many, many, small('b')]) expect((await write(id, sent)).rejected).toEqual([]);
    expect((await write(id, part(15_900, 16_000, 1))).accepted).toBe(0);
    expect((await write(id, small('c'))).accepted).toBe(1);
    // 300 digits each, as PostgreSQL writes them.
    const [half, other] = [part(100, 220, 1e300), part(220, 340, 1e300)];
    await expect(write(id, { ...half, attributes: { ...half.attributes, ...other.attributes } })).rejects.toThrow(
      'must be at most 65536 bytes of JSON',
    );
    expect((await write(id, half, other)).rejected).toHaveLength(2);
    for (const [sent, accepted] of [
      [half, 1],
      [half, 1],
      [other, 0],
    ] as const) {
      expect((await write(id, sent)).accepted).toBe(accepted);
    }
  });

  test('make no circle with one that stays where it is, for its attributes are too many', async () => {
    const { id } = await begin();
    const [a, b, c] = [hex(1), hex(2), hex(3)];
    const attributes = (name: string) => ({ [name]: 'x'.repeat(40_000) });
    await write(id, { id: a, name: 'a' }, { id: b, name: 'b', parentId: a, attributes: attributes('first') });
    const { accepted, rejected } = await write(
      id,
      { id: b, parentId: c, attributes: attributes('second') },
      { id: a, parentId: b },
      { id: c, name: 'c' },
    );
    expect([accepted, rejected.map(({ index }) => index)]).toEqual([1, [0, 1]]);
    expect(rejected.map(({ message }) => message)).toEqual([
      expect.stringContaining('bytes of attributes'),
      'would be its own ancestor',
    ]);
    expect((await level(id)).map(({ name, childCount }) => [name, childCount])).toEqual([
      ['a', 1],
      ['c', 0],
    ]);
  });

  test('are full for all parts of one in a request together', async () => {
    const { id } = await begin();
    const part = (name: string) => ({ id: hex(1), attributes: { [name]: 'x'.repeat(40_000) } });
    const { accepted, rejected } = await write(id, part('a'), { id: hex(2), name: 'other' }, part('b'), part('a'));
    expect([accepted, rejected.map(({ index }) => index)]).toEqual([1, [0, 2, 3]]);
    expect((await write(id, part('a'), part('a'))).accepted).toBe(2);
  });

  test('take every offset of RFC 3339, which PostgreSQL does not, and no year that it cannot hold', async () => {
    const { id } = await begin();
    const far = { startedAt: '2026-01-02T23:00:00+23:11', endedAt: '2026-01-02T23:00:01.5-23:59' };
    expect((await write(id, { id: hex(1), name: 'far', ...far })).accepted).toBe(1);
    expect(await level(id)).toMatchObject([
      { startedAt: '2026-01-01T23:49:00.000Z', endedAt: '2026-01-03T22:59:01.500Z' },
    ]);
    for (const startedAt of ['0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59']) {
      const refused = await call('POST', `/${id}/spans`, { spans: [{ id: hex(2), name: 'x', startedAt }] });
      expect([startedAt, errorOf(refused).code]).toEqual([startedAt, 'VALIDATION_ERROR']);
    }
    for (const moment of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '2026-01-02T23:00:00%2B23:11']) {
      expect([moment, (await call('GET', `?startDate=${moment}`)).status]).toEqual([moment, 200]);
    }
  });

  test('are looked for above no further than a span may be below its root', async () => {
    const { id } = await begin();
    const chain = (from: number) =>
      Array.from({ length: 150 }, (_, level) => {
        const own = from + level;
        return { id: hex(own), name: `${own}`, ...(own === 1 ? {} : { parentId: hex(own - 1) }) };
      });
    expect((await write(id, ...chain(1))).rejected).toEqual([]);
    const { accepted, rejected } = await write(id, ...chain(151));
    expect([accepted, rejected[0]?.index]).toEqual([51 + 98, 51]);
  });

  test('concurrent writers of one run make no circle and lose nothing', async () => {
    const { id } = await begin();
    const writers = Array.from({ length: 16 }, (_, index) =>
      write(id, { id: hex(index + 1), parentId: hex(((index + 1) % 16) + 1), name: `${index}` }),
    );
    const rejected = (await Promise.all(writers)).filter((one) => one.rejected.length > 0);
    expect(rejected).toHaveLength(1);
    expect(await level(id)).toHaveLength(1);
    expect(dataOf(await call('GET', `/${id}`), runWithCountsSchema).counts.spans).toBe(15);
  });

  test('of an ended run are taken for an hour, then 409', async () => {
    const { id } = await begin();
    await call('PATCH', `/${id}`, { status: 'succeeded' });
    expect((await write(id, { id: hex(1), name: 'late' })).accepted).toBe(1);
    // The triggers refuse to move the end: only a superuser with the triggers off can.
    await api.database.asOwner(
      `SET session_replication_role = 'replica'; UPDATE runs SET closed_at = now() - interval '61 minutes' WHERE id = '${id}'`,
    );
    const refused = await call('POST', `/${id}/spans`, { spans: [{ id: hex(2), name: 'too late' }] });
    expect([refused.status, errorOf(refused).code]).toEqual([409, 'CONFLICT']);
    expect((await call('PATCH', `/${id}/spans/${hex(1)}`, { cost: 1 })).status).toBe(409);
  });
});

test.each([
  ['an id of another form', { id: 'ABC', name: 'x' }, 'id'],
  ['an unknown kind', { id: hex(1), name: 'x', kind: 'thought' }, 'kind'],
  ['a member of the service', { id: hex(1), name: 'x', durationMs: 5 }, 'durationMs'],
  ['negative tokens', { id: hex(1), name: 'x', tokens: { input: -1 } }, 'tokens.input'],
  ['a span that is too large', { id: hex(1), name: 'x', input: 'x'.repeat(70_000) }, ''],
])('400: %s', async (_, span, member) => {
  const { id } = await begin();
  const reply = await call('POST', `/${id}/spans`, { spans: [span] });
  expect(reply.status).toBe(400);
  expect(JSON.stringify(errorOf(reply).details)).toContain(`body.spans[0]${member === '' ? '' : `.${member}`}`);
});
