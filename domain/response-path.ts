import { parsePath, type PathStep } from './json-path.ts';

export const RESPONSE_MEMBERS: readonly unknown[] = ['status', 'headers', 'body'];

/** Parses a path into `{status, headers, body}`, such as `headers["X-Used"]` (lower-cased). Returns null when the text is no path. */
export function parseResponsePath(text: string): PathStep[] | null {
  const steps = parsePath(text);
  return steps === null || !RESPONSE_MEMBERS.includes(steps[0]) ? null : lowerHeaderName(steps);
}

/** The steps into a response, its header's name in lower case. */
export function lowerHeaderName(steps: readonly PathStep[]): PathStep[] {
  return steps.map((step, at) => (at === 1 && steps[0] === 'headers' ? String(step).toLowerCase() : step));
}
