import type { CheckedSpan, CheckedSpans, KnownSpan, RejectedSpan, SpanStatus, SpanUpsert } from './runs.ts';

/**
 * What of a request can be written. A span that is named several times is merged in its order. `known` holds the spans of the request that
 * are there, and all that is there above the parents of the request, so that no circle is made: its spans would be on no level.
 */
export function checkSpans(upserts: readonly SpanUpsert[], known: readonly KnownSpan[], now: Date): CheckedSpans {
  const there = new Map(known.map((span) => [span.id, span]));
  const parents = new Map(known.map(({ id, parentId }) => [id, parentId]));
  const merged = new Map<string, CheckedSpan>();
  const rejected: RejectedSpan[] = [];
  for (const [index, upsert] of upserts.entries()) {
    const before = merged.get(upsert.id) ?? null;
    const result = checkSpan(upsert, before, there.get(upsert.id) ?? null, now);
    const message = typeof result === 'string' ? result : circleIssue(upsert, parents);
    if (message !== null || typeof result === 'string') {
      rejected.push({ index, message: message ?? '' });
      continue;
    }
    if (upsert.parentId !== undefined && upsert.parentId !== null) parents.set(upsert.id, upsert.parentId);
    merged.set(upsert.id, result);
  }
  return { spans: [...merged.values()], rejected };
}

/** The span as it will be written, or why it cannot be. */
function checkSpan(
  upsert: SpanUpsert,
  before: CheckedSpan | null,
  known: KnownSpan | null,
  now: Date,
): CheckedSpan | string {
  if (known !== null && known.invocationId !== null && isMoreThanPlace(upsert)) {
    return 'is the span of an invocation, which the service keeps: only parentId and attributes can be sent';
  }
  if (before === null && known === null && present(upsert.name) === undefined) return 'is new, and needs a name';
  const startedAt =
    present(upsert.startedAt) ??
    before?.startedAt ??
    known?.startedAt.toISOString() ??
    present(upsert.endedAt) ??
    now.toISOString();
  const lastEnd = before?.endedAt ?? known?.endedAt?.toISOString() ?? null;
  const status = statusOf(upsert, before?.status ?? known?.status ?? null);
  const endedAt =
    status === 'running' ? null : (present(upsert.endedAt) ?? lastEnd ?? laterOf(now.toISOString(), startedAt));
  if (status === 'running' && present(upsert.endedAt) !== undefined) return 'is running, and cannot have ended';
  if (endedAt !== null && Date.parse(endedAt) < Date.parse(startedAt)) return 'ends before it starts';
  return { ...mergedMembers(before, upsert), startedAt, endedAt, status };
}

/** An end without a status is a success, or a failure where an error is there. */
function statusOf(upsert: SpanUpsert, current: SpanStatus | null): SpanStatus {
  const said = present(upsert.status);
  if (said !== undefined) return said;
  if (current !== null && current !== 'running') return current;
  if (present(upsert.endedAt) === undefined) return current ?? 'running';
  return present(upsert.error) === undefined ? 'succeeded' : 'failed';
}

/** The members that are there win. Attributes and tokens are merged by their own members. */
function mergedMembers(before: CheckedSpan | null, upsert: SpanUpsert): SpanUpsert {
  const said = Object.fromEntries(Object.entries(upsert).filter(([, value]) => value !== undefined && value !== null));
  if (before === null) return { ...said, id: upsert.id };
  return {
    ...before,
    ...said,
    id: upsert.id,
    ...(before.attributes && upsert.attributes ? { attributes: { ...before.attributes, ...upsert.attributes } } : {}),
    ...(before.tokens && upsert.tokens ? { tokens: { ...before.tokens, ...upsert.tokens } } : {}),
  };
}

/** Goes up from its parent: whoever comes back to the span would close a circle. */
function circleIssue({ id, parentId }: SpanUpsert, parents: ReadonlyMap<string, string | null>): string | null {
  let above = parentId ?? null;
  for (const seen = new Set<string>(); above !== null && !seen.has(above); above = parents.get(above) ?? null) {
    if (above === id) return 'would be its own ancestor';
    seen.add(above);
  }
  return null;
}

const PLACE = new Set(['id', 'parentId', 'attributes']);

function isMoreThanPlace(upsert: SpanUpsert): boolean {
  return Object.entries(upsert).some(([member, value]) => !PLACE.has(member) && value !== undefined && value !== null);
}

function present<Value>(value: Value | null | undefined): Value | undefined {
  return value ?? undefined;
}

function laterOf(a: string, b: string): string {
  return Date.parse(a) >= Date.parse(b) ? a : b;
}
