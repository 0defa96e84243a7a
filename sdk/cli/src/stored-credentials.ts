import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { UsageError } from './exit.ts';

const OWNER_ONLY = 0o600;
const FOLDER_OF_OWNER = 0o700;
const OTHERS = 0o077;

/** A key is sent only to its address. */
export interface StoredLogin {
  baseUrl: string;
  apiKey: string;
}

type Env = Readonly<Record<string, string | undefined>>;

export function credentialsFile(env: Env): string {
  // Not `homedir()`, which returns an empty HOME unchanged.
  const folder = absolute(env['XDG_CONFIG_HOME']) ?? path.join(absolute(env['HOME']) ?? userInfo().homedir, '.config');
  return path.join(folder, 'agent-action-runtime', 'credentials.json');
}

/** An empty or relative path counts as unset (XDG Base Directory Specification): the key would end up below the current directory. */
function absolute(folder: string | undefined): string | null {
  return folder !== undefined && path.isAbsolute(folder) ? folder : null;
}

/** Returns null when no login has this name. @throws {UsageError} when others can read the file, or it is damaged. */
export function readLogin(env: Env, profile: string): StoredLogin | null {
  return readAll(env)[profile] ?? null;
}

/** Writes atomically, readable only by the owner. */
export function storeLogin(env: Env, profile: string, login: StoredLogin): void {
  const file = credentialsFile(env);
  const all = { ...readAll(env), [profile]: login };
  mkdirSync(path.dirname(file), { recursive: true, mode: FOLDER_OF_OWNER });
  const unfinished = `${file}.${process.pid}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify({ profiles: all }, null, 2)}\n`, { mode: OWNER_ONLY });
  chmodSync(unfinished, OWNER_ONLY); // a file of that name may have been left behind
  renameSync(unfinished, file);
}

function readAll(env: Env): Record<string, StoredLogin> {
  const file = credentialsFile(env);
  let text: string;
  try {
    if ((statSync(file).mode & OTHERS) !== 0) throw new UsageError(`Others may read ${file}. Run: chmod 600 ${file}`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const { profiles } = JSON.parse(text) as { profiles?: Record<string, StoredLogin> };
    if (typeof profiles === 'object' && profiles !== null) return profiles;
  } catch {
    // The message must not quote the text: it holds a key.
  }
  throw new UsageError(`${file} cannot be read. Delete it, and log in again.`);
}
