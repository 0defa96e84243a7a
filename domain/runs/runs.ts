import type { Json, JsonObject } from '../json.ts';

/** Runs of agents and their spans (docs/runs.md). */
export const RUN_STATUSES = ['running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const SPAN_KINDS = ['agent', 'model', 'tool', 'retrieval', 'action', 'other'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];
export type SpanStatus = RunStatus;

export const SPAN_NAME_CHARACTERS_MAX = 200;
export const SPANS_PER_REQUEST_MAX = 500;
export const SPAN_BYTES_MAX = 65_536;
/** The levels that a span may be below its root. A search for a circle, or for the spans above one, goes no further. */
export const SPAN_DEPTH_MAX = 200;
/** How many parts of one span a request may hold. */
export const SPAN_PARTS_MAX = 50;
export const RUN_TAGS_MAX = 50;
export const RUN_TAG_CHARACTERS_MAX = 100;
/** How long spans of a run are taken after its end: exporters send in batches, and what they hold may come late. */
export const SPANS_AFTER_END_SECONDS = 3_600;

/** Ours, or the 16 hexadecimal digits of W3C Trace Context. */
export const SPAN_ID = /^(spn_[0-9A-Za-z]{22}|[0-9a-f]{16})$/;

/** What a caller sends of a span. A member that is missing, or null, leaves what is there. */
export interface SpanUpsert {
  id: string;
  parentId?: string | null | undefined;
  traceId?: string | null | undefined;
  name?: string | null | undefined;
  kind?: SpanKind | null | undefined;
  status?: SpanStatus | null | undefined;
  startedAt?: string | null | undefined;
  endedAt?: string | null | undefined;
  input?: Json | undefined;
  output?: Json | undefined;
  error?: JsonObject | null | undefined;
  tokens?: { input?: number | null | undefined; output?: number | null | undefined } | null | undefined;
  cost?: number | null | undefined;
  attributes?: JsonObject | null | undefined;
}

/** What of a span's state was sent; the rest is the service's until it comes. */
export interface SentState {
  /** The last end that was sent. That a span runs is sent of one that has ended only by a part that comes late. */
  sentStatus: Exclude<SpanStatus, 'running'> | null;
  isStartSent: boolean;
  isEndSent: boolean;
}

export interface KnownSpan extends SentState {
  id: string;
  parentId: string | null;
  status: SpanStatus;
  startedAt: Date;
  endedAt: Date | null;
  hasError: boolean;
  invocationId: string | null;
}

/** A span that can be written: its times and its status agree. */
export interface CheckedSpan extends SentState, Omit<SpanUpsert, 'status' | 'startedAt' | 'endedAt'> {
  status: SpanStatus;
  startedAt: string;
  endedAt: string | null;
}

export interface RejectedSpan {
  /** Its place in the request, from 0. */
  index: number;
  message: string;
}

export interface CheckedSpans {
  spans: CheckedSpan[];
  rejected: RejectedSpan[];
}
