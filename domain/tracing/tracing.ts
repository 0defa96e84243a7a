/** Ids, names and numbers that an operator may see. No value of a caller or a provider, and no secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'consumer' | 'client' | 'internal';
  /** The `traceparent` that it stands under, null for the beginning of a trace. Left out: under the span under way. */
  parent?: string | null;
  attributes?: SpanAttributes;
}

/** A span that has not ended. */
export interface OpenSpan {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed, with the name of a class of errors and never a message. */
  fail(errorType: string): void;
}

/** The spans of one process. */
export interface Tracing {
  /** Without it nothing is wrapped. */
  readonly isOn: boolean;
  /** The `traceparent` of the span under way; null outside of one. */
  context(): string | null;
  /** Runs work within a span, which ends with it. An error of the work marks it as failed, and is thrown on. */
  span<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Adds to the span under way, if any. */
  annotate(attributes: SpanAttributes): void;
  /** Says that a record was made under the span under way: what a worker of this process does for it is under that span, too. */
  made(id: string): void;
  /** A span of what is over, such as a wait. */
  past(start: SpanStart, from: Date, until: Date): void;
}

const NO_SPAN: OpenSpan = { rename: () => undefined, set: () => undefined, fail: () => undefined };

export const NO_TRACING: Tracing = {
  isOn: false,
  context: () => null,
  span: (_, work) => work(NO_SPAN),
  annotate: () => undefined,
  made: () => undefined,
  past: () => undefined,
};
