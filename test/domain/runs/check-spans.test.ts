import { describe, expect, test } from 'vitest';
import { checkSpans } from '../../../domain/runs/check-spans.ts';
import { type KnownSpan, SPAN_DEPTH_MAX, SPAN_PARTS_MAX, type SpanUpsert } from '../../../domain/runs/runs.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const [A, B, C] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb', 'cccccccccccccccc'];
const span = (id: string, more: Partial<SpanUpsert> = {}): SpanUpsert => ({ id, name: id, ...more });
const known = (id: string, more: Partial<KnownSpan> = {}): KnownSpan => ({
  id,
  parentId: null,
  status: 'running',
  startedAt: new Date('2026-11-22T11:00:00.000Z'),
  endedAt: null,
  invocationId: null,
  sentStatus: null,
  isStartSent: true,
  isEndSent: false,
  hasError: false,
  ...more,
});
const check = (upserts: SpanUpsert[], there: KnownSpan[] = []) => checkSpans(upserts, there, NOW);

describe('the end of a span', () => {
  const START = '2026-11-22T11:30:00.000Z';
  const END = '2026-11-22T11:31:00.000Z';
  test.each<[string, Partial<SpanUpsert>, string, string | null]>([
    ['none: it runs', { startedAt: START }, 'running', null],
    ['a time alone is a success', { startedAt: START, endedAt: END }, 'succeeded', END],
    ['a time with an error is a failure', { startedAt: START, endedAt: END, error: { message: 'x' } }, 'failed', END],
    ['a status alone ends it now', { startedAt: START, status: 'cancelled' }, 'cancelled', NOW.toISOString()],
  ])('%s', (_, members, status, endedAt) => {
    expect(check([span(A, members)])).toMatchObject({ rejected: [], spans: [{ status, endedAt, startedAt: START }] });
  });

  test('stays when a later part says nothing of it', () => {
    const ended = known(A, { status: 'failed', sentStatus: 'failed', endedAt: new Date(END) });
    expect(check([{ id: A, output: 'late' }], [ended]).spans).toMatchObject([{ status: 'failed', endedAt: END }]);
  });

  test('is not before its start, and not of what runs', () => {
    const { rejected, spans } = check([
      span(A, { startedAt: END, endedAt: START }),
      span(B, { status: 'running', endedAt: END }),
    ]);
    expect(rejected.map(({ index }) => index)).toEqual([0, 1]);
    expect(spans).toEqual([]);
  });
});

test('a new span has its id for a name until its name comes', () => {
  expect(check([{ id: A }, { id: B }, span(B, { name: 'chat' })]).spans).toMatchObject([
    { id: A, name: A },
    { id: B, name: 'chat' },
  ]);
});

test('the parts of one span in a request are merged in their order', () => {
  const { spans } = check([
    span(A, { attributes: { a: 1, b: 1 }, tokens: { input: 5 } }),
    { id: A, attributes: { b: 2 }, tokens: { input: null, output: 7 }, kind: 'model', input: null },
  ]);
  expect(spans).toHaveLength(1);
  expect(spans[0]).toMatchObject({
    name: A,
    kind: 'model',
    attributes: { a: 1, b: 2 },
    tokens: { input: 5, output: 7 },
  });
  expect(spans[0]).not.toHaveProperty('input');
});

describe('a circle', () => {
  test.each<[string, SpanUpsert[], KnownSpan[], number[]]>([
    ['of one', [span(A, { parentId: A })], [], [0]],
    ['within a request', [span(A, { parentId: B }), span(B, { parentId: C }), span(C, { parentId: A })], [], [2]],
    ['with what is there', [span(A, { parentId: B })], [known(B, { parentId: C }), known(C, { parentId: A })], [0]],
    ['none: a chain', [span(A, { parentId: B }), span(B, { parentId: C })], [known(C)], []],
  ])('%s', (_, upserts, there, indexes) => {
    expect(check(upserts, there).rejected.map(({ index }) => index)).toEqual(indexes);
  });
});

test('a full span stays where it is, for the others too', () => {
  const there = [known(A), known(B, { parentId: A })];
  const moved = [{ id: B, parentId: C }, { id: A, parentId: B }, span(C)];
  expect(check(moved, there).rejected).toEqual([]);
  const { spans, rejected } = checkSpans(moved, there, NOW, new Set([B]));
  expect(rejected.map(({ index }) => index)).toEqual([0, 1]);
  expect(spans.map(({ id }) => id)).toEqual([C]);
});

test('a span is not deeper than the most levels, whose count bounds the work for each', () => {
  const at = (level: number): string => level.toString(16).padStart(16, '0');
  const chain = Array.from({ length: 20_000 }, (_, level) =>
    span(at(level + 1), level === 0 ? {} : { parentId: at(level) }),
  );
  const { spans, rejected } = check(chain);
  expect(rejected[0]).toEqual({
    index: SPAN_DEPTH_MAX + 1,
    message: `would be more than ${SPAN_DEPTH_MAX} levels below its root`,
  });
  // What names a rejected parent waits for it among the roots.
  expect(spans.length + rejected.length).toBe(chain.length);
});

test('a request holds at most so many parts of one span', () => {
  const parts = Array.from({ length: SPAN_PARTS_MAX + 1 }, (_, part) => span(A, { attributes: { [part]: 1 } }));
  const { spans, rejected } = check([...parts, span(B)]);
  expect(rejected.map(({ index }) => index)).toEqual([SPAN_PARTS_MAX]);
  expect(Object.keys(spans[0]?.attributes ?? {})).toHaveLength(SPAN_PARTS_MAX);
});

test('of the span of an invocation only its place and its attributes can be sent', () => {
  const action = known(A, { invocationId: 'inv_1' });
  expect(check([{ id: A, status: 'succeeded' }], [action]).rejected).toHaveLength(1);
  expect(check([{ id: A, parentId: B, attributes: { step: 1 } }], [action])).toMatchObject({
    rejected: [],
    spans: [{ parentId: B, status: 'running', endedAt: null }],
  });
});
