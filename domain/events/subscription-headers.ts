import { type Issue, validationError } from '../errors.ts';
import { REDACTED } from '../redacted.ts';

export interface HeadersBefore {
  url: string;
  shown: Record<string, string> | null;
  sent: Record<string, string> | null;
}

/**
 * A subscription's headers after a change; undefined `given` keeps all. `[REDACTED]` keeps a sealed value, at its
 * origin only: a caller who may not read credentials must not send them elsewhere. Throws VALIDATION_ERROR.
 */
export function headersAfter(
  before: HeadersBefore,
  url: string,
  given: Record<string, string> | null | undefined,
): Record<string, string> | null {
  const issues: Issue[] = [];
  const sealed = sealedOf(before);
  const kept = given === undefined ? [...sealed.values()].map(({ name }) => name) : [];
  const after: Record<string, string> = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    const known = value === REDACTED ? sealed.get(name.toLowerCase()) : undefined;
    if (known !== undefined) kept.push(name);
    else if (value === REDACTED) {
      const message = `is ${REDACTED}, and the subscription has no sealed header of this name`;
      issues.push({ path: `body.headers.${name}`, message });
    }
    after[name] = known?.value ?? value;
  }
  if (new URL(url).origin !== new URL(before.url).origin) {
    const message = (name: string): string => `must hold ${name} anew: its value is not sent to another origin`;
    issues.push(...kept.map((name) => ({ path: 'body.headers', message: message(name) })));
  }
  if (issues.length > 0) throw validationError(issues);
  if (given === undefined) return before.sent;
  return given === null ? null : after;
}

/** The headers whose values nobody may read, by their names in small letters. */
function sealedOf({ shown, sent }: HeadersBefore): Map<string, { name: string; value: string }> {
  const names = Object.entries(shown ?? {}).flatMap(([name, value]) => (value === REDACTED ? [name] : []));
  return new Map(names.map((name) => [name.toLowerCase(), { name, value: sent?.[name] ?? REDACTED }]));
}
