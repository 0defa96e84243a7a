import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, lchownSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** How a program that refuses to run as root is run: the command prefix and the account. */
export interface Unprivileged {
  prefix: string[];
  uid?: number;
  gid?: number;
}

const NAMESPACE_PREFIX = ['unshare', '-U', '--map-user=1000', '--map-group=1000'];
/** Tried in this order. The last exists on every system and is meant to own nothing. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];

/**
 * PostgreSQL refuses to run as root. A user namespace in which root is called 1000 comes first: that changes no owner, needs no
 * account, and reads folders that only root can enter (fresh clones often lie in one). Where the kernel or a container
 * forbids it, an unprivileged account is used, if it can reach the binaries and the data folder.
 */
export function unprivileged(binary: string, dataDir: string): Unprivileged {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = existsSync(dataDir) ? lstatSync(dataDir).uid : 0;
  if (owner === 0 && namespaceWorks()) return { prefix: NAMESPACE_PREFIX };
  for (const name of UNPRIVILEGED_USERS) {
    const account = lookUp(name);
    if (account === null || !isReachable(binary, account) || !isReachable(path.dirname(dataDir), account)) continue;
    return { prefix: [], ...account };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and neither a user namespace ("${NAMESPACE_PREFIX.join(' ')}") nor the account ${UNPRIVILEGED_USERS.join(' or ')} can run it from ${path.dirname(binary)} with its data in ${dataDir}. Run as another user, or use folders that every user may enter.`,
  );
}

/** Makes the account the owner of a file, or of a folder and everything in it. */
export function giveTo(target: string, account: Unprivileged): void {
  if (account.uid === undefined || account.gid === undefined) return;
  const facts = lstatSync(target);
  if (facts.uid === account.uid) return;
  if (facts.isDirectory()) {
    for (const name of readdirSync(target)) giveTo(path.join(target, name), account);
  }
  lchownSync(target, account.uid, account.gid);
}

function namespaceWorks(): boolean {
  const [command, ...args] = NAMESPACE_PREFIX;
  return command !== undefined && spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0;
}

function lookUp(name: string): { uid: number; gid: number } | null {
  try {
    const read = (flag: string): number =>
      Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: read('-u'), gid: read('-g') };
  } catch {
    return null; // no such account
  }
}

/** Whether users other than the owner may read and run the file, which includes passing every folder above it. */
function isReachable(target: string, account: { uid: number; gid: number }): boolean {
  accessSync(target, constants.F_OK);
  for (let step = target; ; step = path.dirname(step)) {
    const facts = lstatSync(step);
    const shift = facts.uid === account.uid ? 6 : facts.gid === account.gid ? 3 : 0;
    if (((facts.mode >> shift) & 1) === 0) return false;
    if (step === path.dirname(step)) return true;
  }
}
