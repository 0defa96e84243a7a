import { createClient, type Client } from 'agent-action-runtime-sdk';
import { UsageError } from './exit.ts';
import { readLogin, type StoredLogin } from './stored-credentials.ts';
import type { Terminal } from './terminal.ts';

export interface CommonOptions {
  json?: boolean;
  profile: string;
  baseUrl?: string;
}

export type Login = Partial<Pick<CommonOptions, 'profile' | 'baseUrl'>>;

/**
 * Uses `BASE_URL` and `API_KEY`, otherwise the stored login. A stored key goes only to the address that it was stored with. @throws
 * {UsageError}
 */
export function clientOf(options: CommonOptions, terminal: Pick<Terminal, 'env'>): Client {
  return clientFor(accessOf(options, terminal));
}

/** A follow-up command with this command's login. */
export function commandLine({ profile = 'default', baseUrl }: Login, command: string): string {
  return [
    `agent-actions ${command}`,
    ...(profile === 'default' ? [] : [`--profile ${profile}`]),
    ...(baseUrl === undefined ? [] : [`--base-url ${baseUrl}`]),
  ].join(' ');
}

/** @throws {UsageError} for an invalid address or key. */
export function clientFor(access: StoredLogin): Client {
  try {
    return createClient(access);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The login cannot be used.', { cause: error });
  }
}

function accessOf({ profile, baseUrl }: CommonOptions, { env }: Pick<Terminal, 'env'>): StoredLogin {
  const named = baseUrl ?? setIn(env, 'BASE_URL');
  const key = setIn(env, 'API_KEY');
  if (key !== undefined) {
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

/** An empty variable counts as unset. */
export function setIn(env: Terminal['env'], name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** The options that were given. */
export function definedOf<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
