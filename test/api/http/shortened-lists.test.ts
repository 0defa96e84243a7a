import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../../../api/routes.ts';
import { LISTED_EVIDENCE_MAX } from '../../../db/effects/get-effect.ts';
import { LISTED_MEMBER_BYTES_MAX } from '../../../db/shortened.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { plantDeadLetters } from '../dead-letters/plant.ts';
import { createAction, dataOf, invoke } from '../invocations/support.ts';
import { tamper } from '../previews/support.ts';
import { isBounded, staleEntries, unboundedMembers } from './listed-members.ts';

/** A list shows the beginning of each member that is large, and `GET` of the one record shows all of it. */

const LARGE = 'x'.repeat(2 * LISTED_MEMBER_BYTES_MAX);
/** What no list shows as a part of a value that is cut: a preview is of a quarter of what is listed whole. */
const BEGINNING = LARGE.slice(0, LISTED_MEMBER_BYTES_MAX / 4 + 1);
const CUT = { truncated: true, bytes: expect.any(Number), preview: expect.any(String) };

const LARGE_VERIFY = `UPDATE action_versions SET definition = definition || jsonb_build_object('verify',
  jsonb_build_object('request', jsonb_build_object('method', 'GET', 'url', $LARGE ->> 'large'), 'expect', '[]'::jsonb))`;

const LARGE_RESPONSE = `INSERT INTO message_attempts (message_id, environment_id, retention, number, status, finished_at, response_headers)
  SELECT message_id, environment_id, retention, 1, 'completed', now(), $LARGE FROM dead_letters`;

const LARGE_PRECONDITIONS = 'UPDATE previews SET preconditions = preconditions || $LARGE';

/** The members of a list that may be large, where they stand in a record, and what makes the planted row's large. */
const MEMBERS: readonly { list: string; member: string; sql?: string }[] = [
  { list: '/api/v2/actions', member: 'adapter.config' },
  { list: '/api/v2/actions', member: 'inputSchema' },
  { list: '/api/v2/actions', member: 'outputSchema' },
  { list: '/api/v2/actions/$ACTION/versions', member: 'definition.adapter.config' },
  { list: '/api/v2/actions/$ACTION/versions', member: 'definition.inputSchema' },
  { list: '/api/v2/actions/$ACTION/versions', member: 'definition.outputSchema' },
  { list: '/api/v2/actions/effects', member: 'request' },
  { list: '/api/v2/actions/effects', member: 'target', sql: 'UPDATE effects SET target = $LARGE' },
  { list: '/api/v2/actions/effects', member: 'evidence.0.details', sql: 'UPDATE evidence SET details = $LARGE' },
  { list: '/api/v2/actions/effects', member: 'preview.request' },
  {
    list: '/api/v2/actions/effects',
    member: 'preview.blocks',
    sql: 'UPDATE previews SET blocks = jsonb_build_array($LARGE)',
  },
  { list: '/api/v2/approvals?kind=free_standing', member: 'payload' },
  { list: '/api/v2/approvals?kind=invocation', member: 'preview.request' },
  { list: '/api/v2/approvals?kind=invocation', member: 'preview.blocks' },
  { list: '/api/v2/actions', member: 'verify', sql: LARGE_VERIFY },
  { list: '/api/v2/actions/$ACTION/versions', member: 'definition.verify', sql: LARGE_VERIFY },
  { list: '/api/v2/messages', member: 'body' },
  { list: '/api/v2/messages', member: 'headers' },
  { list: '/api/v2/dlq', member: 'body', sql: "UPDATE message_contents SET body_kind = 'json', body = $LARGE::text" },
  { list: '/api/v2/dlq', member: 'headers', sql: 'UPDATE message_contents SET headers = $LARGE' },
  { list: '/api/v2/dlq', member: 'responseHeaders', sql: LARGE_RESPONSE },
  { list: '/api/v2/cache', member: 'prompt' },
  { list: '/api/v2/cache', member: 'response' },
  { list: '/api/v2/schedules', member: 'destination.body' },
  { list: '/api/v2/schedules', member: 'destination.headers' },
  { list: '/api/v2/actions/effects', member: 'preview.target', sql: 'UPDATE previews SET target = $LARGE' },
  { list: '/api/v2/actions/effects', member: 'preview.preconditions', sql: LARGE_PRECONDITIONS },
  { list: '/api/v2/approvals?kind=invocation', member: 'preview.target', sql: 'UPDATE previews SET target = $LARGE' },
  { list: '/api/v2/approvals?kind=invocation', member: 'preview.preconditions', sql: LARGE_PRECONDITIONS },
  { list: '/api/v2/actions/invocations', member: 'result', sql: 'UPDATE invocations SET result = $LARGE' },
  { list: '/api/v2/actions/$ACTION/invocations', member: 'result', sql: 'UPDATE invocations SET result = $LARGE' },
  { list: '/api/v2/approval-policies', member: 'document' },
  { list: '/api/v2/approval-policies/$POLICY/versions', member: 'document' },
  { list: '/api/v2/events', member: 'data' },
  { list: '/api/v2/events/topics/$TOPIC/subscriptions', member: 'headers' },
  { list: '/api/v2/runs', member: 'input' },
  { list: '/api/v2/runs', member: 'output' },
  { list: '/api/v2/runs', member: 'metadata' },
  { list: '/api/v2/runs', member: 'error' },
  { list: '/api/v2/runs/$RUN/spans', member: 'input' },
  { list: '/api/v2/runs/$RUN/spans', member: 'output' },
  { list: '/api/v2/runs/$RUN/spans', member: 'attributes' },
  { list: '/api/v2/runs/$RUN/spans', member: 'error' },
  { list: '/api/v2/sessions', member: 'metadata' },
];

let service: TestService;
/** The ids that stand in the paths of lists. */
const named: Record<string, string> = {};
beforeAll(async () => {
  service = await startTestService();
  const schema = { type: 'object', description: LARGE.slice(0, 2_000), properties: { a: { description: LARGE } } };
  const action = await createAction(
    service,
    { url: 'https://example.com/', body: LARGE },
    { approval: { required: true }, inputSchema: schema, outputSchema: schema },
  );
  planted(await invoke(service, action));
  const asked = { title: 'Deploy', summary: 'Deploys.', payload: LARGE };
  planted(await service.post('/api/v2/approvals', asked));
  await plantDeadLetters(service.database);
  planted(await service.post('/api/v2/cache', { prompt: LARGE, response: LARGE }));
  const message = { url: 'https://example.com/', headers: { 'x-large': LARGE }, body: LARGE };
  planted(await service.post('/api/v2/messages/publish', { ...message, delay: 3_600 }));
  planted(await service.post('/api/v2/schedules', { cron: '0 9 * * *', destination: message, paused: true }));
  planted(await service.post('/api/v2/sessions', { metadata: { large: LARGE } }));
  Object.assign(named, {
    ACTION: action,
    POLICY: await plantPolicy(),
    TOPIC: await plantTopic(),
    RUN: await plantRun(),
  });
});
afterAll(async () => service?.close());

function planted({ status, text, json }: CallResult): string {
  if (status >= 300) throw new Error(`a row was refused with ${status}: ${text}`);
  return (json as { data: { id: string } }).data.id;
}

async function plantPolicy(): Promise<string> {
  const rules = Array.from({ length: 5 }, (_, n) => ({
    id: `large-${n}`,
    match: { actions: ['nothing'] },
    when: `input.a == "${BEGINNING}"`,
    effect: 'allow',
  }));
  const document = { schema: 'approval-policy/v1', name: 'large', priority: 1, rules };
  return planted(await service.post('/api/v2/approval-policies', { document }));
}

/** With a subscription, and an event that it does not get. */
async function plantTopic(): Promise<string> {
  const id = planted(await service.post('/api/v2/events/topics', { name: 'large' }));
  const subscription = { url: 'https://example.com/', eventTypes: ['none'], headers: { 'x-large': LARGE } };
  planted(await service.post(`/api/v2/events/topics/${id}/subscriptions`, subscription));
  planted(await service.post('/api/v2/events', { topic: 'large', type: 'large', data: LARGE }));
  return id;
}

async function plantRun(): Promise<string> {
  const large = { large: LARGE };
  const id = planted(await service.post('/api/v2/runs', { name: 'large', input: LARGE, metadata: large }));
  const span = { id: '00f067aa0ba902b7', name: 'large', input: LARGE, output: LARGE, attributes: large, error: large };
  planted(await service.post(`/api/v2/runs/${id}/spans`, { spans: [span] }));
  planted(
    await service.call('PATCH', `/api/v2/runs/${id}`, { key: service.key, body: { output: LARGE, error: large } }),
  );
  return id;
}

/** The rows above hold what no effect has, so this looks at the evidence alone. */
const shownEvidence = z.object({ evidence: z.array(z.object({ summary: z.string() })) });

/** The member of a record at a dotted path. */
function memberAt(record: unknown, path: string): unknown {
  return path.split('.').reduce((value, step) => (value as Record<string, unknown> | undefined)?.[step], record);
}

test.each(MEMBERS)('$list shows the beginning of a large $member', async ({ list, member, sql }) => {
  if (sql !== undefined) await tamper(service, sql.replace('$LARGE', `'{"large": "${LARGE}"}'::jsonb`));
  const url = new URL(
    list.replace(/\$([A-Z]+)/, (_, name: string) => named[name] ?? ''),
    'http://localhost',
  );
  url.searchParams.set('limit', '1');
  const page = await service.get(`${url.pathname}${url.search}`);
  expect(page.status, page.text).toBe(200);
  const [record] = (page.json as { data: { id?: string; messageId?: string }[] }).data;
  const shown = memberAt(record, member);
  expect(shown).toEqual(CUT);
  expect((shown as { preview: string }).preview.length).toBeLessThan(LISTED_MEMBER_BYTES_MAX);
  // An action shows its current version whole, which the first rows ask for. The others have no route of one record at such a path.
  if (/\/(versions|spans|subscriptions|[^/]+\/invocations)$/.test(list) && !list.endsWith('actions/invocations'))
    return;
  const whole = await service.get(`${url.pathname}/${record?.messageId ?? record?.id}`);
  expect(JSON.stringify(memberAt((whole.json as { data: unknown }).data, member))).toContain(BEGINNING);
});

test('each member of a list that may be large is cut and stands above, or says what bounds it', () => {
  const lists = ROUTES.filter((route) => route.list !== undefined);
  expect(lists.length).toBeGreaterThan(40);
  const findings = lists.flatMap((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    const isCut = MEMBERS.filter(({ list }) => pattern.test(list.split('?')[0] ?? '')).map(({ member }) => member);
    const covers = (path: string) =>
      isCut.some((member) => `${path}.`.startsWith(`${member.replace('.0.', '[].')}.`) || path === `${member}[]`);
    return unboundedMembers(route).flatMap((member) =>
      covers(member.path) || isBounded(route.id, member)
        ? []
        : [
            `${route.id}: ${member.path} (${member.kind}) is not bounded. Cut it, and name it in MEMBERS, or say in listed-members.ts what bounds it.`,
          ],
    );
  });
  expect(findings).toEqual([]);
  expect(staleEntries(lists.map(({ id }) => id))).toEqual([]);
});

test('a list shows the newest twenty entries of an effect’s evidence and counts them; the effect shows all', async () => {
  const listed = async () =>
    dataOf(
      await service.get('/api/v2/actions/effects?limit=1'),
      z.array(shownEvidence.extend({ id: z.string(), evidenceCount: z.int() })),
    );
  const path = `/api/v2/actions/effects/${(await listed())[0]?.id}`;
  const notes = Array.from({ length: LISTED_EVIDENCE_MAX + 2 }, (_, i) => `note ${i}`);
  for (const note of notes) planted(await service.post(`${path}/notes`, { note }));
  const [shown] = await listed();
  const { evidence } = dataOf(await service.get(path), shownEvidence);
  expect(shown?.evidence.map(({ summary }) => summary)).toEqual(notes.slice(-LISTED_EVIDENCE_MAX));
  expect(shown?.evidenceCount).toBe(evidence.length);
  expect(evidence.length).toBeGreaterThanOrEqual(notes.length);
});

test('a message’s body of exactly that size in bytes is listed whole, and one byte more is cut', async () => {
  const publish = async (body: string): Promise<unknown> => {
    planted(await service.post('/api/v2/messages/publish', { url: 'https://example.com/', body, delay: 3_600 }));
    const page = await service.get('/api/v2/messages?limit=1');
    return (page.json as { data: { body: unknown }[] }).data[0]?.body;
  };
  // Two bytes each in UTF-8.
  const fits = 'é'.repeat(LISTED_MEMBER_BYTES_MAX / 2);
  expect(await publish('small')).toBe('small');
  expect(await publish(fits)).toBe(fits);
  expect(await publish(`${fits}x`)).toEqual({ ...CUT, bytes: LISTED_MEMBER_BYTES_MAX + 1 });
});
