import { existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { type Check, fail, type Finding, ok, skipped } from './check.ts';
import type { Values } from './settings.ts';

const PAGE = 'operations.md#versions-health-connections';
/** Supported lines of Node, and the month after which they get no more security fixes. */
const NODE_LINES = new Map([
  [20, '2026-04'],
  [22, '2027-04'],
  [24, '2028-04'],
]);
const NODE_20_MINOR_MIN = 19;
const MEMORY_BYTES_MIN = 512 * 1024 ** 2;
/** Files, sockets to databases and providers, beside the connections of clients. */
const OTHER_FILES = 500;

/** This machine, as a process of ours sees it. */
export const MACHINE_CHECKS: readonly Check[] = [
  {
    name: 'node-version',
    page: PAGE,
    holds: 'Node is a release that is supported',
    run: () => judgeNode(process.versions.node, new Date()),
  },
  {
    name: 'open-files',
    page: 'operations.md#connections',
    holds: 'A process may open as many files as HTTP_CONNECTIONS_MAX asks for',
    run: ({ settings }) => judgeOpenFiles(openFilesMax(), settings.values),
  },
  {
    name: 'memory',
    page: PAGE,
    holds: 'A process may have 512 MiB of memory',
    run: () => judgeMemory(memoryBytes()),
  },
];

export function judgeNode(version: string, today: Date): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const end = NODE_LINES.get(major);
  if (end === undefined || (major === 20 && minor < NODE_20_MINOR_MIN)) {
    return fail(`Node ${version} is not supported`, 'use Node 24, or 20.19 or newer of 20 or 22');
  }
  // Supported by us still: a sentence, and no failure.
  const isOver = today.toISOString().slice(0, end.length) > end;
  return ok(
    `Node ${version} is supported${isOver ? `, and gets no security fixes since ${end}: plan to use 24` : ''}.`,
  );
}

/** The hard limit: Node raises its own to it. Null where the system does not say. */
function openFilesMax(): number | null {
  if (!existsSync('/proc/self/limits')) return null;
  const [, hard] = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return hard === 'unlimited' ? Infinity : Number(hard);
}

export function judgeOpenFiles(
  most: number | null,
  values: Pick<Values, 'HTTP_CONNECTIONS_MAX' | 'DATABASE_POOL_MAX'>,
): Finding {
  if (most === null) return skipped('This system does not say how many files a process may open.');
  const wanted = (values.HTTP_CONNECTIONS_MAX ?? 0) + 2 * (values.DATABASE_POOL_MAX ?? 0) + OTHER_FILES;
  return most < wanted
    ? fail(
        `A process may open ${most} files, and an API may need ${wanted}`,
        'raise the limit (ulimit -n), or lower HTTP_CONNECTIONS_MAX',
      )
    : ok(`A process may open ${most} files.`);
}

/** A container may have a limit of its own. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

export function judgeMemory(bytes: number): Finding {
  const megabytes = Math.round(bytes / 1024 ** 2);
  return bytes < MEMORY_BYTES_MIN
    ? fail(`A process may have ${megabytes} MiB of memory`, 'give it 512 MiB or more')
    : ok(`A process may have ${megabytes} MiB of memory.`);
}
