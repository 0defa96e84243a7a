import type { LoggerOptions } from 'pino';
import { describeFailure, withoutValues } from './failures.ts';
import { REDACTED } from './redacted.ts';

/** The log paths of headers and credentials, in case some code logs an object that holds one. A second line of defence. */
const HEADER_NAMES = ['authorization', 'Authorization', 'cookie', 'Cookie', 'set-cookie', 'x-api-key'];
const HEADER_HOLDERS = ['', 'headers.', '*.headers.', 'request.headers.', 'response.headers.'];
const CREDENTIAL_NAMES = ['secret', 'secrets', 'apiKey', 'password', 'masterKeys', 'credentials'];

const REDACTED_PATHS = [
  ...HEADER_HOLDERS.flatMap((holder) =>
    HEADER_NAMES.map((name) => (/[^\w.*]/.test(name) ? bracket(holder, name) : holder + name)),
  ),
  ...CREDENTIAL_NAMES.flatMap((name) => [name, `*.${name}`]),
];

function bracket(holder: string, name: string): string {
  return `${holder.replace(/\.$/, '')}["${name}"]`;
}

/** The Temporal SDK logs an error as an object, and an error of its native core as its text. */
function describeLogged(error: unknown): unknown {
  return typeof error === 'string' ? withoutValues(error) : describeFailure(error);
}

/**
 * pino's options for every process: JSON lines, RFC 3339, credentials as `[REDACTED]`. Errors are described, not
 * copied: PostgreSQL writes the refused row into `detail`. The Temporal SDK logs its errors as `error`.
 */
export function loggerOptions(level: string, processName: string): LoggerOptions {
  return {
    level,
    base: { process: processName },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeFailure, error: describeLogged },
    redact: { paths: REDACTED_PATHS, censor: REDACTED },
  };
}
