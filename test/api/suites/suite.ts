import type { AnyRoute } from '../../../api/http/define-route.ts';
import type { CallResult } from '../harness/test-api.ts';
import type { World } from './world.ts';

/** A rule for every route that it covers. It is a function, so that it can also check routes planted with a fault. */
export interface Suite {
  /** The key of `exempt` in a route's definition. */
  name: string;
  /** What a passing route does. */
  title: string;
  covers(route: AnyRoute): boolean;
  /** The errors of the route; empty if there are none. */
  check(world: World, route: AnyRoute): Promise<string[]>;
}

export function isExempt(suite: Suite, route: AnyRoute): boolean {
  return route.exempt?.[suite.name] !== undefined;
}

export function codeOf(reply: CallResult): string | undefined {
  return errorIn(reply)?.code;
}

export function messageOf(reply: CallResult): string {
  return errorIn(reply)?.message ?? '';
}

/** The error of our envelope, or of OTLP's google.rpc.Status, whose message begins with our code. */
function errorIn(reply: CallResult): { code?: string | undefined; message?: string } | undefined {
  const { error, message } = (reply.json ?? {}) as { error?: { code?: string; message?: string }; message?: string };
  if (error !== undefined || message === undefined || reply.status < 400) return error;
  const [code, ...rest] = message.split(': ');
  return { code, message: rest.join(': ') };
}

export function pathsOf(reply: CallResult): string[] {
  const { error } = (reply.json ?? {}) as { error?: { details?: { issues?: { path: string }[] } } };
  return (error?.details?.issues ?? []).map((issue) => issue.path);
}

/** One finding if the reply is not this error, with the link to its code, otherwise none. */
export function expectError(what: string, reply: CallResult, status: number, code: string): string[] {
  const isLinked = reply.headers.get('Link') === `</docs/reference/errors/${code}>; rel="help"`;
  if (reply.status === status && codeOf(reply) === code && isLinked) return [];
  return [
    `${what}: ${status} ${code} was due, and it answered ${reply.status} ${reply.text.slice(0, 200)}, ${reply.headers.get('Link') ?? 'without a link'}`,
  ];
}

export function expectSuccess(what: string, reply: CallResult): string[] {
  return reply.status >= 200 && reply.status < 300
    ? []
    : [`${what}: success was due, and it answered ${reply.status} ${reply.text.slice(0, 300)}`];
}

/** The rows of a page: `data` itself, or its first list where a page says more than its rows (an export of tools). */
export function rowsOf(data: unknown): unknown[] {
  if (Array.isArray(data)) return data as unknown[];
  return Object.values(data ?? {}).find((member): member is unknown[] => Array.isArray(member)) ?? [];
}
