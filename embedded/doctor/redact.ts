import type { EnvironmentVariables } from '../../domain/configuration/read-configuration.ts';

/** Shorter texts would be found in any sentence. */
const SECRET_CHARACTERS_MIN = 4;
const NAMES = /KEY|PASSWORD|SECRET|TOKEN|HEADERS/;

/** Replaces every secret of an environment in a text: errors of libraries may quote what they were given. */
export function redact(text: string, environment: EnvironmentVariables): string {
  return secretsOf(environment).reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

function secretsOf(environment: EnvironmentVariables): string[] {
  const secrets = Object.entries(environment).flatMap(([name, value = '']) => {
    const password = URL.canParse(value) ? new URL(value).password : '';
    const named = NAMES.test(name) ? [value, ...value.split(',').map((entry) => entry.replace(/^~?\d+:/, ''))] : [];
    return [...named, password, decoded(password)];
  });
  const long = secrets.map((secret) => secret.trim()).filter((secret) => secret.length >= SECRET_CHARACTERS_MIN);
  // The longest first: one may hold another.
  return [...new Set(long)].toSorted((one, other) => other.length - one.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign
  }
}
