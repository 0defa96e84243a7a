import { createClient, type Client } from 'agent-action-runtime-sdk';
import { UsageError } from './exit.ts';
import { readLogin, type StoredLogin } from './stored-credentials.ts';
import type { Terminal } from './terminal.ts';

/** Options that every command has. */
export interface CommonOptions {
  json?: boolean;
  profile: string;
  baseUrl?: string;
}

/** Which login a command uses. */
export type Login = Partial<Pick<CommonOptions, 'profile' | 'baseUrl'>>;

/**
 * The client of a command: `BASE_URL` and `API_KEY` of the environment, else what `login` stored. A stored key goes to the address that it was
 * stored with, and nowhere else.
 *
 * @throws {UsageError}
 */
export function clientOf(options: CommonOptions, terminal: Pick<Terminal, 'env'>): Client {
  return clientFor(accessOf(options, terminal));
}

/** A command to run next, such that it uses the login of this one. */
export function commandLine({ profile = 'default', baseUrl }: Login, command: string): string {
  return [
    `agent-actions ${command}`,
    ...(profile === 'default' ? [] : [`--profile ${profile}`]),
    ...(baseUrl === undefined ? [] : [`--base-url ${baseUrl}`]),
  ].join(' ');
}

/** @throws {UsageError} for an address or a key that is no such thing. */
export function clientFor(access: StoredLogin): Client {
  try {
    return createClient(access);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The login cannot be used.', { cause: error });
  }
}

function accessOf({ profile, baseUrl }: CommonOptions, { env }: Pick<Terminal, 'env'>): StoredLogin {
  const named = baseUrl ?? env['BASE_URL'];
  const key = env['API_KEY'];
  if (key !== undefined && key !== '') {
    if (named === undefined) throw new UsageError('API_KEY is set, and BASE_URL is not: say where the service is.');
    return { baseUrl: named, apiKey: key };
  }
  const stored = readLogin(env, profile);
  if (stored === null)
    throw new UsageError(
      'Not logged in. Run: agent-actions login --base-url https://…   (or set BASE_URL and API_KEY)',
    );
  const isAnother = named !== undefined && named.replace(/\/+$/, '') !== stored.baseUrl;
  if (isAnother)
    throw new UsageError(
      `The stored key is for ${stored.baseUrl}, and not for ${named}. Log in there with --profile, or set API_KEY.`,
    );
  return stored;
}
