import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../api/http/define-route.ts';
import { orShortened } from '../../../api/http/common-fields.ts';
import { LISTED_RECORDS_MAX } from '../../../db/effects/queries.ts';
import { LISTED_MEMBER_BYTES_MAX } from '../../../db/columns.ts';
import { startTestService } from '../../harness/service.ts';
import { dataOf } from '../invocations/support.ts';
import { tamper } from '../previews/support.ts';
import { pathOf } from '../suites/world.ts';
import { collectLists, declaredLists, memberFindings, staleFindings } from './collect-lists.ts';
import { BEGINNING, idOf, LARGE, type ListedRecord } from './list-declarations.ts';

/** A list shows the beginning of each member that is large, and `GET` of the one record shows all of it. The areas declare them: `lists.ts`. */

const CUT = { truncated: true, bytes: expect.any(Number), preview: expect.any(String) };
const AREAS = await collectLists();
const LISTS = declaredLists(AREAS);

const service = await startTestService();

/** The planted rows hold what no effect has, so this looks at the evidence alone. */
const shownEvidence = z.object({ evidence: z.array(z.object({ summary: z.string() })) });

/** The member of a record at a dotted path. */
function memberAt(record: unknown, path: string): unknown {
  return path.split('.').reduce((value, step) => (value as Record<string, unknown> | undefined)?.[step], record);
}

describe.each(
  LISTS.flatMap(({ route, declaration: { cut } }) => (cut === undefined ? [] : [{ id: route.id, route, cut }])),
)('$id', ({ route, cut }) => {
  let params: Record<string, string>;
  beforeAll(async () => {
    params = await cut.plant(service);
  });

  test.each(cut.members)(
    'shows the beginning of a large $member, and its record the whole',
    async ({ member, query, sql }) => {
      if (sql !== undefined) await tamper(service, sql.replace('$LARGE', `'{"large": "${LARGE}"}'::jsonb`));
      const page = await service.get(pathOf(route, { params, query: { ...query, limit: '1' } }));
      expect(page.status, page.text).toBe(200);
      const [listed] = (page.json as { data: ListedRecord[] }).data;
      if (listed === undefined) throw new Error(`nothing is listed: ${page.text}`);
      const shown = memberAt(listed, member);
      expect(shown).toEqual(CUT);
      expect((shown as { preview: string }).preview.length).toBeLessThan(LISTED_MEMBER_BYTES_MAX);
      const record = await service.get(cut.record(listed, params));
      expect(record.status, record.text).toBe(200);
      const whole = JSON.stringify(memberAt((record.json as { data: unknown }).data, member));
      expect(whole).toContain(BEGINNING);
      expect(whole.length).toBeGreaterThan(LISTED_MEMBER_BYTES_MAX);
    },
  );
});

test('each member of a list that may be large is cut, or its area says what bounds it', () => {
  expect(LISTS.length).toBeGreaterThan(40);
  expect(LISTS.flatMap(memberFindings)).toEqual([]);
  expect(AREAS.flatMap(staleFindings)).toEqual([]);
});

describe('a member that nothing bounds', () => {
  const route = defineRoute({
    of: 'environment',
    id: 'planted.list',
    method: 'GET',
    path: '/api/v2/planted',
    summary: 'List what is planted',
    scope: 'runs:read',
    response: { 200: z.array(z.strictObject({ notes: z.string(), payload: orShortened(z.unknown()) })) },
    list: () => Promise.resolve({ items: [], total: 0 }),
  });
  const file = 'test/api/planted/lists.ts';
  const found = (declaration: Parameters<typeof memberFindings>[0]['declaration']): string[] =>
    memberFindings({ route, declaration, file });

  test('is found, with the file that declares it; a cut one also where it is said to be bounded', () => {
    expect(found({})).toEqual([
      expect.stringMatching(/^planted\.list: notes \(text\) is not bounded\..*test\/api\/planted\/lists\.ts/),
      expect.stringMatching(/^planted\.list: payload \(cut\)/),
    ]);
    const whole = { notes: 'a hundred characters', payload: 'nothing' };
    expect(found({ whole })).toEqual([expect.stringMatching(/^planted\.list: payload/)]);
    const cut = { plant: () => Promise.resolve({}), members: [{ member: 'payload' }], record: () => '/' };
    expect(found({ whole, cut })).toEqual([]);
  });

  test('and an entry for what is no list are named', () => {
    expect(staleFindings({ file, routes: [route], lists: { 'planted.list': {}, 'gone.list': {} } })).toEqual([
      expect.stringContaining("'gone.list'"),
    ]);
  });
});

test('a list shows the newest twenty entries of an effect’s evidence and counts them; the effect shows all', async () => {
  const listed = async () =>
    dataOf(
      await service.get('/api/v2/actions/effects?limit=1'),
      z.array(shownEvidence.extend({ id: z.string(), evidenceCount: z.int() })),
    );
  const path = `/api/v2/actions/effects/${(await listed())[0]?.id}`;
  const notes = Array.from({ length: LISTED_RECORDS_MAX + 2 }, (_, i) => `note ${i}`);
  for (const note of notes) idOf(await service.post(`${path}/notes`, { note }));
  const [shown] = await listed();
  const { evidence } = dataOf(await service.get(path), shownEvidence);
  expect(shown?.evidence.map(({ summary }) => summary)).toEqual(notes.slice(-LISTED_RECORDS_MAX));
  expect(shown?.evidenceCount).toBe(evidence.length);
  expect(evidence.length).toBeGreaterThanOrEqual(notes.length);
});

test('a message’s body of exactly that size in bytes is listed whole, and one byte more is cut', async () => {
  const publish = async (body: string): Promise<unknown> => {
    idOf(await service.post('/api/v2/messages/publish', { url: 'https://example.com/', body, delay: 3_600 }));
    const page = await service.get('/api/v2/messages?limit=1');
    return (page.json as { data: { body: unknown }[] }).data[0]?.body;
  };
  // Two bytes each in UTF-8.
  const fits = 'é'.repeat(LISTED_MEMBER_BYTES_MAX / 2);
  expect(await publish('small')).toBe('small');
  expect(await publish(fits)).toBe(fits);
  expect(await publish(`${fits}x`)).toEqual({ ...CUT, bytes: LISTED_MEMBER_BYTES_MAX + 1 });
});
