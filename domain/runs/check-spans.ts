import {
  type CheckedSpan,
  type CheckedSpans,
  type KnownSpan,
  type RejectedSpan,
  type SentState,
  SPAN_BYTES_MAX,
  SPAN_DEPTH_MAX,
  SPAN_PARTS_MAX,
  type SpanUpsert,
} from './runs.ts';

/**
 * What of a request can be written. A repeated span is merged in order. `known`: the request's existing spans, and all
 * above its parents, so that no circle is made. `full` spans stay, because the places of others depend on them.
 */
export function checkSpans(
  upserts: readonly SpanUpsert[],
  known: readonly KnownSpan[],
  now: Date,
  full: ReadonlySet<string> = new Set(),
): CheckedSpans {
  const there = new Map(known.map((span) => [span.id, span]));
  const parents = new Map(known.map(({ id, parentId }) => [id, parentId]));
  const merged = new Map<string, CheckedSpan>();
  const rejected: RejectedSpan[] = [];
  const parts = new Map<string, number>();
  for (const [index, upsert] of upserts.entries()) {
    const before = merged.get(upsert.id) ?? null;
    const part = (parts.get(upsert.id) ?? 0) + 1;
    parts.set(upsert.id, part);
    const result = full.has(upsert.id)
      ? `would have more than ${SPAN_BYTES_MAX} bytes of attributes: they are merged with those that are there`
      : part > SPAN_PARTS_MAX
        ? `is the ${part}th part of its span in one request; at most ${SPAN_PARTS_MAX} are taken`
        : checkSpan(upsert, before, there.get(upsert.id) ?? null, now);
    const message = typeof result === 'string' ? result : placeIssue(upsert, parents);
    if (message !== null || typeof result === 'string') {
      rejected.push({ index, message: message ?? '' });
      continue;
    }
    if (upsert.parentId !== undefined && upsert.parentId !== null) parents.set(upsert.id, upsert.parentId);
    merged.set(upsert.id, result);
  }
  return { spans: [...merged.values()], rejected };
}

function checkSpan(
  upsert: SpanUpsert,
  before: CheckedSpan | null,
  known: KnownSpan | null,
  now: Date,
): CheckedSpan | string {
  const members = mergedMembers(before, upsert);
  if (known !== null && known.invocationId !== null) {
    if (!isMoreThanPlace(upsert)) return { ...members, ...stateOf(known) };
    return 'is the span of an invocation, which the service keeps: only parentId and attributes can be sent';
  }
  if (upsert.status === 'running' && present(upsert.endedAt) !== undefined) return 'is running, and cannot have ended';
  const current = before ?? (known === null ? null : stateOf(known));
  const hasError = present(members.error) !== undefined || known?.hasError === true;
  const state = nextState(upsert, current, hasError, now.toISOString());
  if (state.endedAt !== null && Date.parse(state.endedAt) < Date.parse(state.startedAt)) return 'ends before it starts';
  const isNew = known === null && present(members.name) === undefined;
  return { ...members, ...(isNew ? { name: upsert.id } : {}), ...state };
}

type SpanState = SentState & Pick<CheckedSpan, 'status' | 'startedAt' | 'endedAt'>;

function stateOf({ status, startedAt, endedAt, sentStatus, isStartSent, isEndSent }: KnownSpan): SpanState {
  const times = { startedAt: startedAt.toISOString(), endedAt: endedAt?.toISOString() ?? null };
  return { status, ...times, sentStatus, isStartSent, isEndSent };
}

/**
 * The state follows from what was sent by now, in any order. An end without a status is a success, or a failure where
 * an error is there. Without a time, a span starts at its arrival, or with its end if only that is known.
 */
function nextState(upsert: SpanUpsert, current: SpanState | null, hasError: boolean, now: string): SpanState {
  const said = present(upsert.status);
  const sentStatus = said === undefined || said === 'running' ? (current?.sentStatus ?? null) : said;
  const sentStart = present(upsert.startedAt) ?? (current?.isStartSent === true ? current.startedAt : undefined);
  const sentEnd = present(upsert.endedAt) ?? (current?.isEndSent === true ? current.endedAt : null) ?? undefined;
  const startedAt = sentStart ?? sentEnd ?? current?.startedAt ?? now;
  const status = sentStatus ?? (sentEnd === undefined ? 'running' : hasError ? 'failed' : 'succeeded');
  const endedAt = status === 'running' ? null : (sentEnd ?? laterOf(current?.endedAt ?? now, startedAt));
  return {
    status,
    startedAt,
    endedAt,
    sentStatus,
    isStartSent: sentStart !== undefined,
    isEndSent: sentEnd !== undefined,
  };
}

/** The members that are there win. Attributes and tokens are merged by their own members. */
function mergedMembers(before: CheckedSpan | null, upsert: SpanUpsert): SpanUpsert {
  const said = sentMembers(upsert);
  if (before === null) return { ...said, id: upsert.id };
  return {
    ...before,
    ...said,
    id: upsert.id,
    ...(before.attributes && upsert.attributes ? { attributes: { ...before.attributes, ...upsert.attributes } } : {}),
    ...(before.tokens && upsert.tokens ? { tokens: { ...before.tokens, ...sentMembers(upsert.tokens) } } : {}),
  };
}

/** A member that is null leaves what is there. */
function sentMembers<Members extends object>(members: Members): Partial<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<Members>;
}

/** Goes up from its parent: a path that returns to the span would close a circle. A span that sends no parent stays where it is. */
function placeIssue({ id, parentId }: SpanUpsert, parents: ReadonlyMap<string, string | null>): string | null {
  let above = parentId ?? null;
  for (let level = 1; above !== null; level++) {
    if (above === id) return 'would be its own ancestor';
    if (level > SPAN_DEPTH_MAX) return `would be more than ${SPAN_DEPTH_MAX} levels below its root`;
    above = parents.get(above) ?? null;
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
