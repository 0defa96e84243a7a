import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeSpans } from '../../../api/runs/write-spans.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { createRun } from '../../../db/runs/changes.ts';
import { getSpan } from '../../../db/runs/spans.ts';
import type { SpanUpsert } from '../../../domain/runs/runs.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** A span may arrive in parts. Every split and every order of the parts gives the record of the whole span. */
const RUNS = 150;
const SEED = 16;

const database = await createTestDatabase();
const run = { name: null, agentId: null, agentVersion: null, userId: null, application: null };
const made = await database.db.withEnvironment(database.tenant, (tx) =>
  createRun(tx, { ...run, input: null, tags: null, metadata: null, traceId: null, startedAt: null }),
);
const runId = made.id;

const moment = (second: number): string => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 });
/**
 * What can be sent as one: an end that is not before its start. A span whose times nobody sends has those of its arrival, which no order
 * repeats.
 */
const whole = fc
  .record({
    name: some(fc.constantFrom('chat', 'search')),
    kind: some(fc.constantFrom('model' as const, 'tool' as const)),
    parentId: some(fc.constant('f'.repeat(16))),
    status: some(fc.constantFrom('running' as const, 'succeeded' as const, 'failed' as const, 'cancelled' as const)),
    startedAt: some(fc.integer({ min: 0, max: 20 }).map(moment)),
    endedAt: some(fc.integer({ min: 20, max: 40 }).map(moment)),
    input: some(fc.constant({ q: 1 })),
    output: some(fc.constant('found')),
    error: some(fc.constant({ message: 'timed out' })),
    cost: some(fc.constant(0.5)),
    a: some(fc.integer()),
    b: some(fc.integer()),
    inputTokens: some(fc.nat()),
    outputTokens: some(fc.nat()),
  })
  .filter(({ status, startedAt, endedAt }) =>
    status === undefined || status === 'running' ? (startedAt ?? endedAt) !== undefined : endedAt !== undefined,
  );

/** Each member as a part of its own. */
function atomsOf({ a, b, inputTokens, outputTokens, ...members }: Record<string, unknown>): Partial<SpanUpsert>[] {
  const said = Object.entries(members).map(([member, value]) => ({ [member]: value }));
  const others = [
    { attributes: a === undefined ? undefined : { a } },
    { attributes: b === undefined ? undefined : { b } },
    { tokens: inputTokens === undefined ? undefined : { input: inputTokens } },
    { tokens: outputTokens === undefined ? undefined : { output: outputTokens } },
  ];
  return [...said, ...others].filter((atom) => Object.values(atom)[0] !== undefined) as Partial<SpanUpsert>[];
}

/** The atoms in an order, joined to parts; each part is of one request, or of the same as the one before. */
const cut = (atoms: readonly Partial<SpanUpsert>[]) =>
  fc.tuple(
    fc.shuffledSubarray([...atoms], { minLength: atoms.length }),
    fc.array(fc.constantFrom('same part', 'same request', 'next request'), {
      minLength: atoms.length,
      maxLength: atoms.length,
    }),
  );

const joined = (id: string, atoms: readonly Partial<SpanUpsert>[]): SpanUpsert => ({
  ...Object.assign({}, ...atoms),
  ...member('attributes', atoms),
  ...member('tokens', atoms),
  id,
});
const member = (name: 'attributes' | 'tokens', atoms: readonly Partial<SpanUpsert>[]): Partial<SpanUpsert> => {
  const values: (object | null | undefined)[] = atoms.map((atom) => atom[name]).filter((value) => value !== undefined);
  return values.length === 0 ? {} : { [name]: Object.assign({}, ...values) };
};

function requestsOf(id: string, [atoms, joints]: readonly [Partial<SpanUpsert>[], string[]]): SpanUpsert[][] {
  const requests: Partial<SpanUpsert>[][][] = [[[]]];
  for (const [index, atom] of atoms.entries()) {
    if (joints[index] === 'next request') requests.push([[]]);
    if (joints[index] === 'same request') requests.at(-1)?.push([]);
    requests.at(-1)?.at(-1)?.push(atom);
  }
  return requests.map((parts) => parts.map((part) => joined(id, part)));
}

let spans = 0;
async function recordOf(requests: (id: string) => SpanUpsert[][]): Promise<object | null> {
  const id = (++spans).toString(16).padStart(16, '0');
  const write = async (tx: EnvironmentTransaction) => {
    for (const request of requests(id)) {
      expect((await writeSpans(tx, runId, request)).rejected).toEqual([]);
    }
    const span = await getSpan(tx, runId, id);
    return span === null ? null : { ...span, id: '', name: span.name === id ? null : span.name };
  };
  return database.db.withEnvironment(database.tenant, write);
}

test(`${RUNS} spans, cut at random and sent in any order, in one request or in several, end as the whole does`, async () => {
  const seen = { late: 0, failed: 0, ended: 0 };
  const given = whole.chain((members) => {
    const atoms = atomsOf(members).filter(
      // Sent with its end, it would contradict itself. Sent before or after it, it says nothing of a span that has ended.
      (atom) => !(atom.status === 'running' && members.endedAt !== undefined),
    );
    return fc.record({ atoms: fc.constant(atoms), sent: cut(atoms) });
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ atoms, sent }) => {
      const expected = await recordOf((id) => [[joined(id, atoms)]]);
      expect(await recordOf((id) => requestsOf(id, sent))).toEqual(expected);
      const [order] = sent;
      const at = (name: keyof SpanUpsert): number => order.findIndex((atom) => name in atom);
      if (at('startedAt') > at('endedAt') && at('endedAt') >= 0) seen.late++;
      if (at('error') > at('endedAt') && at('endedAt') >= 0 && at('status') < 0) seen.failed++;
      if (expected !== null && 'endedAt' in expected && expected.endedAt !== null) seen.ended++;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(5);
});

test('a part that says that a span runs comes too late for one that has ended', async () => {
  const running = { status: 'running' as const, startedAt: moment(1) };
  const ended = { endedAt: moment(3), error: { message: 'x' } };
  for (const parts of [
    [running, ended],
    [ended, running],
  ]) {
    const record = await recordOf((id) => parts.map((part) => [{ id, ...part }]));
    expect(record).toMatchObject({ status: 'failed', startedAt: new Date(moment(1)), endedAt: new Date(moment(3)) });
  }
});

test('a time that nobody sent is that of arrival, until it is sent', async () => {
  const [arrival, late] = [new Date().toISOString(), new Date(Date.now() + 3_600_000).toISOString()];
  const unsent = await recordOf((id) => [[{ id, status: 'cancelled' }]]);
  expect(unsent).toMatchObject({ startedAt: expect.any(Date) as Date, endedAt: expect.any(Date) as Date });
  expect((unsent as { endedAt: Date }).endedAt.toISOString() >= arrival).toBe(true);
  const sent = await recordOf((id) => [
    [{ id, status: 'cancelled' }],
    [{ id, startedAt: late }],
    [{ id, endedAt: late }],
  ]);
  expect(sent).toMatchObject({ status: 'cancelled', startedAt: new Date(late), endedAt: new Date(late) });
});
