import { type Issue, validationError } from '../errors.ts';
import type { Json } from '../json.ts';
import { REDACTED } from '../redacted.ts';
import type { PublishRequest, Redaction } from '../messages/publish-request.ts';

/** A message goes to one URL. */
type OtherDestination = 'urlGroup' | 'topic' | 'eventType';

/** A failed message as a publish request, its sealed parts opened. It must not leave the process. */
export interface OriginalRequest extends Omit<PublishRequest, 'url' | OtherDestination | 'headers' | 'body'> {
  url: string;
  headers: Record<string, string> | null;
  body: Json;
  /** The names of the headers whose values nobody may read. */
  sealedHeaders: readonly string[];
  bodySealed: boolean;
}

/** The changes of a retry. A given member replaces that of the original; null removes it. */
export type RetryOverrides = {
  [Member in keyof Omit<PublishRequest, OtherDestination | 'deduplicationId' | 'contentBasedDeduplication'>]:
    PublishRequest[Member] | null;
};

/**
 * The request of a retry. Sealed parts stay at their origin: a caller who may not read them must not send them
 * elsewhere, so a retry to another origin must give them again. `redact` can only grow. Throws VALIDATION_ERROR.
 */
export function retryRequest(original: OriginalRequest, overrides: RetryOverrides): PublishRequest {
  const issues: Issue[] = [];
  const { sealedHeaders: _names, bodySealed, headers: _sent, body: sentBody, redact, ...rest } = original;
  const keepsBody = overrides.body === undefined;
  const { headers, kept } = headersOf(original, overrides.headers, issues);
  const url = overrides.url ?? original.url;
  if (originOf(url) !== originOf(original.url)) {
    for (const name of kept) {
      issues.push({ path: 'body.headers', message: `must hold ${name} anew: its value is not sent to another origin` });
    }
    if (bodySealed && keepsBody) {
      issues.push({ path: 'body.body', message: 'must be given anew: a redacted body is not sent to another origin' });
    }
  }
  issues.push(...callbackIssues(original, overrides, keepsBody));
  const method = overrides.method ?? original.method;
  const body = overrides.body === undefined ? sentBody : overrides.body;
  if (method === 'GET' && body !== null) {
    issues.push({ path: 'body.body', message: 'must be null: a body cannot be sent with GET' });
  }
  if (issues.length > 0) throw validationError(issues);
  return {
    ...rest,
    ...withoutNulls(rest, overrides),
    url,
    method,
    headers: headers ?? undefined,
    body,
    redact: joined(redact, overrides.redact ?? undefined),
  };
}

/** Whether a retry sends a sealed part of the original: a header that is shown as `[REDACTED]`, or a redacted body. */
export function keepsSealed(
  original: { headers: Record<string, string> | null; bodySealed: boolean },
  overrides: RetryOverrides,
): boolean {
  const headers = overrides.headers === undefined ? original.headers : overrides.headers;
  return Object.values(headers ?? {}).includes(REDACTED) || (original.bodySealed && overrides.body === undefined);
}

/** The members of `overrides` but for those with rules of their own; null becomes undefined, which takes the default. */
function withoutNulls(original: object, overrides: RetryOverrides): Partial<PublishRequest> {
  const { url: _url, method: _method, headers: _headers, body: _body, redact: _redact, ...plain } = overrides;
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  // A new delay is from now; whichever of the two is given replaces both.
  const times = 'delay' in original || plain.delay !== undefined || plain.scheduledFor !== undefined;
  return {
    ...(times ? { delay: undefined, scheduledFor: undefined } : {}),
    ...Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])),
  };
}

/** The headers, and the names of the sealed ones that are kept. `[REDACTED]`, as the record shows it, keeps a sealed value. */
function headersOf(
  { headers: sent, sealedHeaders }: OriginalRequest,
  given: Record<string, string> | null | undefined,
  issues: Issue[],
): { headers: Record<string, string> | null; kept: readonly string[] } {
  if (given === undefined) return { headers: sent, kept: sealedHeaders };
  if (given === null) return { headers: null, kept: [] };
  const kept: string[] = [];
  const headers = Object.entries(given).map(([name, value]) => {
    if (value !== REDACTED) return [name, value] as const;
    const sealed = sealedHeaders.find((other) => other.toLowerCase() === name.toLowerCase());
    if (sealed === undefined) {
      issues.push({
        path: `body.headers.${name}`,
        message: `is ${REDACTED}, and the message has no sealed header of this name`,
      });
      return [name, value] as const;
    }
    kept.push(sealed);
    return [name, sent?.[sealed] ?? value] as const;
  });
  return { headers: Object.fromEntries(headers), kept };
}

/** A callback carries the body that was sent. */
function callbackIssues(original: OriginalRequest, overrides: RetryOverrides, keepsBody: boolean): Issue[] {
  if (!original.bodySealed || !keepsBody) return [];
  const known = [original.callbackUrl, original.failureCallbackUrl, original.url]
    .flatMap((url) => url ?? [])
    .map(originOf);
  return (['callbackUrl', 'failureCallbackUrl'] as const).flatMap((member) => {
    const url = overrides[member];
    if (url === undefined || url === null || known.includes(originOf(url))) return [];
    return [
      {
        path: `body.${member}`,
        message: 'needs the body anew: a callback carries it, and a redacted body is not sent to another origin',
      },
    ];
  });
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Whatever either redacts. */
function joined(one: Redaction | undefined, other: Redaction | undefined): Redaction | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const headers = [one.headers, other.headers];
  const names = headers.flatMap((named) => (Array.isArray(named) ? named : []));
  return { body: one.body === true || other.body === true, headers: headers.includes(true) ? true : names };
}
