import type { Refusal } from './refusals.ts';

/** Why nothing is sent if a secret is missing or has changed. */

export function missingSecrets(names: readonly string[]): Refusal {
  const message = `no secret named ${names.join(', ')} in this environment`;
  return { code: 'secret_missing', message, details: { secrets: [...names] } };
}

/** The first secret whose version changed since `since`, or null. A missing secret has version 0. */
export function replacedSecret(
  bound: Readonly<Record<string, number>>,
  current: Readonly<Record<string, number>>,
  since: string,
): Refusal | null {
  for (const [name, boundVersion] of Object.entries(bound)) {
    const version = current[name] ?? 0;
    if (version === boundVersion) continue;
    const message =
      version === 0
        ? `secret ${name} was deleted after ${since}`
        : `secret ${name} was replaced after ${since} (version ${boundVersion}, now ${version})`;
    return { code: 'precondition_changed', message, details: { secrets: [name] } };
  }
  return null;
}
