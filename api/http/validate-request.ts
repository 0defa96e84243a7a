import type { z } from 'zod';
import { ServiceError, validationError, type Issue } from '../../domain/errors.ts';
import { otherKindText } from '../../domain/other-kind.ts';
import { plainMessages, unknownFieldMessages } from '../../domain/json-schema/schema-messages.ts';
import { formatPath } from './json-text.ts';

/** `arguments`: those of an MCP tool. */
export type RequestPart = 'params' | 'query' | 'body' | 'arguments';

/**
 * What the schema makes of one part of a request.
 *
 * @throws {ServiceError} VALIDATION_ERROR with every issue, each path prefixed by its part: `body.adapter.type`.
 */
export function validatePart(part: RequestPart, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { error: plainMessages });
  if (result.success) return result.data;
  const issues = withoutEchoes(result.error.issues).flatMap((issue) => describeIssue(issue, { part, value, base: [] }));
  throw validationError(issues);
}

/** If a value has the wrong type, zod also checks its length, such as a string's characters where a list was expected. */
function withoutEchoes(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const mistyped = new Set(issues.flatMap((issue) => (issue.code === 'invalid_type' ? [issue.path.join('\0')] : [])));
  return issues.filter((issue) => issue.code === 'invalid_type' || !mistyped.has(issue.path.join('\0')));
}

/** The results of two checks. If either refuses, the issues of both are reported: nobody should mend a request one field at a time. */
export function allOf<First, Second>(first: () => First, second: () => Second): [First, Second] {
  const issues: Issue[] = [];
  const run = <Result>(check: () => Result): Result | undefined => {
    try {
      return check();
    } catch (error) {
      issues.push(...issuesIn(error));
      return undefined;
    }
  };
  const answers = [run(first), run(second)];
  if (issues.length > 0) throw validationError(issues);
  return answers as [First, Second];
}

/** Waits for a check that is made elsewhere, such as in a thread. The function that is returned answers, or refuses, as the check did: for `allOf`. */
export async function outcomeOf<Result>(check: Promise<Result>): Promise<() => Result> {
  try {
    const result = await check;
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** What `check` makes. Where it refuses, the issues of `beside` are reported too. */
export function withIssuesBeside<Result>(check: () => Result, beside: () => Issue[]): Result {
  try {
    return check();
  } catch (error) {
    throw validationError([...issuesIn(error), ...beside()]);
  }
}

/** The issues of a VALIDATION_ERROR. Anything else is thrown on. */
function issuesIn(error: unknown): Issue[] {
  const found = error instanceof ServiceError && error.code === 'VALIDATION_ERROR' ? error.details?.['issues'] : null;
  if (!Array.isArray(found)) throw error;
  return found as Issue[];
}

/** An absent body counts as `{}` for a schema without required members; otherwise the issue is the missing body. */
export function validateBody(schema: z.ZodType, value: unknown): unknown {
  if (value !== undefined) return validatePart('body', schema, value);
  for (const substitute of [undefined, {}]) {
    const result = schema.safeParse(substitute);
    if (result.success) return result.data;
  }
  throw validationError([{ path: 'body', message: 'is missing: send a JSON body' }]);
}

interface Place {
  part: RequestPart;
  /** The part as it was sent. */
  value: unknown;
  base: readonly PropertyKey[];
}

function describeIssue(issue: z.core.$ZodIssue, { part, value, base }: Place): Issue[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return unknownFieldMessages(issue).map(({ key, message }) => ({ path: formatPath(part, [...path, key]), message }));
  }
  if (issue.code === 'invalid_union') {
    // The alternative that fits best is the one that the caller meant; its issues say more than "Invalid input".
    const best = issue.errors.toSorted((a, b) => distance(a) - distance(b))[0];
    if (best !== undefined && best.length > 0)
      return best.flatMap((inner) => describeIssue(inner, { part, value, base: path }));
  }
  return [{ path: formatPath(part, path), message: `${issue.message}${otherKind(issue, valueAt(value, path))}` }];
}

/** An id has the form of its kind: where another form is asked for, the caller may have taken one kind for another. */
function otherKind({ code }: z.core.$ZodIssue, value: unknown): string {
  const isOfForm = code === 'invalid_format' || code === 'custom';
  const told = isOfForm && typeof value === 'string' ? otherKindText(value) : null;
  return told === null ? '' : `; ${told}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (found, step) => (typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined),
    value,
  );
}

/** An alternative whose very type is wrong fits worse than one with wrong members. */
function distance(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.path.length === 0 && issue.code === 'invalid_type' ? 100 : 1), 0);
}

/**
 * The query as an object: a parameter given twice is an array, so that a schema for one value refuses it.
 *
 * @throws {ServiceError} VALIDATION_ERROR for what cannot be stored or is no name.
 */
export function queryOf(search: URLSearchParams): Record<string, string | string[]> {
  const issues: Issue[] = [];
  for (const [name, value] of search) {
    if (name === '__proto__') issues.push({ path: 'query.__proto__', message: 'is not a known field' });
    else if (value.includes('\0')) issues.push({ path: `query.${name}`, message: 'contains a NUL character' });
  }
  if (issues.length > 0) throw validationError(issues);
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}
