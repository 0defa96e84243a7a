import type { Refusal } from './lifecycle.ts';

/** Why nothing is sent where a secret is not what it has to be. */

export function missingSecrets(names: readonly string[]): Refusal {
  return { code: 'secret_missing', message: `no secret named ${names.join(', ')} in this environment` };
}

/**
 * The first secret that is not of the version any more that something was bound to, `since` saying what; null where all are.
 * Versions by name; one that is not there has version 0.
 */
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
    return { code: 'precondition_changed', message };
  }
  return null;
}
