/** What `traceparent` of W3C Trace Context names: the span that work belongs under. */
export interface TraceParent {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  /** False: its caller keeps no spans of this trace, and neither do we. */
  isSampled: boolean;
}

const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const VERSION = '00';
const NO_VERSION = 'ff';
const SAMPLED = 1;

/**
 * Reads the header; null where it is none, and then the trace begins here. A later version may have more behind these fields, which is
 * ignored. Source: W3C Trace Context, 3.2.2 and 4.3.
 */
export function parseTraceparent(text: string): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = HEADER.exec(text.trim()) ?? [];
  if (version === undefined || version === NO_VERSION || (version === VERSION && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** 55 characters of version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `${VERSION}-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
