import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTEN_STATE = '0A';

/**
 * The TCP ports that a process listens on, as Linux reports for the same user's processes. Empty where the system does not
 * report them (macOS, Windows); the caller then knows only the ports that it passed.
 */
export function listeningPorts(pid: number): number[] {
  const sockets = socketsOf(pid);
  if (sockets.size === 0) return [];
  return ['tcp', 'tcp6'].flatMap((table) => {
    const file = `/proc/${pid}/net/${table}`;
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …
        const fields = line.trim().split(/\s+/);
        if (fields[3] !== LISTEN_STATE || !sockets.has(fields[9] ?? '')) return [];
        return [Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)];
      });
  });
}

function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  const inodes = new Set<string>();
  if (!existsSync(folder)) return inodes;
  for (const name of readdirSync(folder)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1];
      if (inode !== undefined) inodes.add(inode);
    } catch (error) {
      // The socket was closed after the listing.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return inodes;
}
