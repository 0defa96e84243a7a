import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { actionSchema, actionVersionSchema, listedVersionSchema } from '../../../api/actions/action-schemas.ts';
import { actionRoutes } from '../../../api/actions/routes.ts';
import { LISTED_MEMBER_BYTES_MAX } from '../../../db/columns.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import type { Json } from '../../../domain/json.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ routes: [...actionRoutes] });
const { key } = await api.createKey(api.database.tenant);

const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, `/api/v2/actions${path}`, { key, body });

const adapterOf = (body: string) => ({
  type: 'http.request',
  config: { method: 'POST', url: 'https://api.example.com/refunds', body },
});

/** An action of two versions: the first is large, the second is not. */
async function createTwo(name: string): Promise<string> {
  const large = 'x'.repeat(2 * LISTED_MEMBER_BYTES_MAX);
  const created = await call('POST', '', { name, adapter: adapterOf(large), changeNote: 'one' });
  expect(created.status, created.text).toBe(201);
  expect((await call('PATCH', `/${name}`, { adapter: adapterOf('small') })).status).toBe(200);
  return (created.json as { data: { id: string } }).data.id;
}

describe('GET /api/v2/actions/{ref}/versions/{number}', () => {
  test('200: an older version as it was digested, where the list shows its beginning', async () => {
    const id = await createTwo('large.once');
    const older = dataOf(await call('GET', '/large.once/versions/1'), actionVersionSchema);
    expect(older).toMatchObject({ number: 1, actionId: id, changeNote: 'one', definition: { timeoutMs: 30_000 } });
    expect(digestOf(older.definition as unknown as Json)).toBe(older.digest);
    const [newest, listed] = dataOf(await call('GET', `/${id}/versions`), z.array(listedVersionSchema));
    expect(listed?.definition.adapter.config).toMatchObject({ truncated: true });
    expect({ ...listed, definition: older.definition }).toEqual(older);
    expect(dataOf(await call('GET', `/${id}/versions/2`), actionVersionSchema)).toEqual(newest);
  });

  test('200: of an archived action by its id, and 404 by its name', async () => {
    const id = await createTwo('archived');
    expect(dataOf(await call('DELETE', '/archived'), actionSchema).archivedAt).not.toBeNull();
    expect(dataOf(await call('GET', `/${id}/versions/1`), actionVersionSchema).number).toBe(1);
    expect((await call('GET', '/archived/versions/1')).status).toBe(404);
  });

  test('404: a number that the action has no version of, and an action that there is not', async () => {
    await createTwo('two.versions');
    for (const path of ['/two.versions/versions/3', '/two.versions/versions/999999999', '/no.such/versions/1']) {
      const reply = await call('GET', path);
      expect([reply.status, errorOf(reply).code], reply.text).toEqual([404, 'NOT_FOUND']);
    }
    expect(errorOf(await call('GET', '/two.version/versions/1')).message).toContain('two.versions');
  });

  test.each(['0', '01', '-1', '1.0', 'latest', '1000000000'])('400: %s is no number of a version', async (number) => {
    const reply = await call('GET', `/two.versions/versions/${number}`);
    expect(reply.status, reply.text).toBe(400);
    expect(errorOf(reply).details).toEqual({ issues: [expect.objectContaining({ path: 'params.number' })] });
  });
});
