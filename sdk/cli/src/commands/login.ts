import { readFileSync } from 'node:fs';
import { EXIT, UsageError, type ExitCode } from '../exit.ts';
import { clientFor, commandLine, setIn, type CommonOptions } from '../session.ts';
import { credentialsFile, storeLogin, type StoredLogin } from '../stored-credentials.ts';
import { plain, type Terminal } from '../terminal.ts';

export interface LoginOptions extends CommonOptions {
  stack?: string;
  environment: string;
  keyName: string;
}

/** Stores an address and a key after the service accepted the key. A key is never an argument: others can see those. */
export async function login(options: LoginOptions, terminal: Terminal): Promise<ExitCode> {
  const found = options.stack === undefined ? await asked(options, terminal) : fromStack(options);
  const client = clientFor(found);
  const identity = await client.identity();
  const file = credentialsFile(terminal.env);
  storeLogin(terminal.env, options.profile, { baseUrl: client.baseUrl, apiKey: found.apiKey });
  if (options.json === true) {
    terminal.print(JSON.stringify({ baseUrl: client.baseUrl, profile: options.profile, file, identity }));
    return EXIT.ok;
  }
  const { environment, keyId, scopes, expiresAt } = identity;
  terminal.print(
    [
      `Logged in to ${client.baseUrl} with key ${keyId ?? 'unknown'} of the environment ${plain(environment?.name ?? 'unknown')} (${environment?.kind}).`,
      `It has ${scopes.length} scopes${expiresAt === null ? '' : ` and expires at ${expiresAt}`}. It is kept in ${file}.`,
      `Next: ${commandLine({ profile: options.profile }, 'actions list')}`,
    ].join('\n'),
  );
  return EXIT.ok;
}

async function asked({ baseUrl }: LoginOptions, terminal: Terminal): Promise<StoredLogin> {
  const named =
    baseUrl ?? setIn(terminal.env, 'BASE_URL') ?? (await terminal.ask?.('Address of the service: '))?.trim();
  if (named === undefined || !URL.canParse(named))
    throw new UsageError('Say where the service is: --base-url https://…');
  const apiKey =
    setIn(terminal.env, 'API_KEY') ?? (await (terminal.askSecretly?.('API key: ') ?? terminal.readInput())).trim();
  if (apiKey === '') throw new UsageError('Type the API key, set API_KEY, or send the key to the standard input.');
  return { baseUrl: named, apiKey };
}

interface StackCredentials {
  baseUrl: string;
  keys: { name: string; environment: string; key: string }[];
}

function fromStack({ stack = '', environment, keyName }: LoginOptions): StoredLogin {
  let credentials: StackCredentials;
  try {
    credentials = JSON.parse(readFileSync(stack, 'utf8')) as StackCredentials;
  } catch (error) {
    throw new UsageError(`${stack} is no credentials.json of npm start: start the stack first.`, { cause: error });
  }
  const found = credentials.keys.find((key) => key.name === keyName && key.environment === environment);
  if (found === undefined) throw new UsageError(`${stack} holds no key ${keyName} of an environment ${environment}.`);
  return { baseUrl: credentials.baseUrl, apiKey: found.key };
}
