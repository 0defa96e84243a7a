import { isDeepStrictEqual } from 'node:util';
import { afterEach } from 'vitest';
import type { AnyRoute, RouteReply } from '../../../api/http/define-route.ts';

/** After each test, throws if a reply of the API violated its route's declaration. */
export function checkEachReply(api: { replyViolations: string[] }): void {
  afterEach(() => {
    const violations = api.replyViolations.splice(0);
    if (violations.length > 0) throw new Error(violations.join('\n'));
  });
}

/** How a reply violates its route's declaration: an undeclared status, a missing field, an extra field. */
export function violationsOf(route: AnyRoute, reply: RouteReply<unknown>): string[] {
  const schema = route.response[reply.status];
  if (schema === undefined) return [`${route.id}: the status ${reply.status} is not declared`];
  const wire: unknown = JSON.parse(JSON.stringify(reply.data));
  const result = schema.safeParse(wire);
  if (!result.success) {
    return result.error.issues.map((issue) => `${route.id}: ${issue.path.map(String).join('.')}: ${issue.message}`);
  }
  const violations: string[] = [];
  // A schema that is not strict drops undeclared fields, so such a field would reach callers unnoticed.
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(result.data)), wire)) {
    violations.push(`${route.id}: the reply holds fields that its schema does not declare`);
  }
  if ((route.paginated === true) !== (reply.pagination !== undefined)) {
    violations.push(`${route.id}: paginated is ${route.paginated === true}, the reply says otherwise`);
  }
  return [...violations, ...violationsBeside(route, reply)];
}

/** The same for the members beside `data`. */
function violationsBeside(route: AnyRoute, { beside = {} }: RouteReply<unknown>): string[] {
  const declared = route.beside ?? {};
  const violations = Object.keys(beside)
    .filter((name) => declared[name] === undefined)
    .map((name) => `${route.id}: ${name} beside data is not declared`);
  for (const [name, schema] of Object.entries(declared)) {
    const wire: unknown = beside[name] === undefined ? undefined : JSON.parse(JSON.stringify(beside[name]));
    const result = schema.safeParse(wire);
    const issues = result.error?.issues ?? [];
    violations.push(
      ...issues.map(({ path, message }) => `${route.id}: ${[name, ...path].map(String).join('.')}: ${message}`),
    );
    if (result.success && !isDeepStrictEqual(JSON.parse(JSON.stringify(result.data)), wire))
      violations.push(`${route.id}: ${name} beside data holds fields that its schema does not declare`);
  }
  return violations;
}
