import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of one process by what its mappings are, MB. Linux only. */
export interface Resident {
  total: number;
  /** Code and constants: the programs and libraries, which processes of the same program share. */
  files: number;
  /** The brk heap and glibc's arenas of 64 MB: malloc of Node, of Temporal's core and of every thread. */
  malloc: number;
  /** Anonymous mappings: V8's heaps, single blocks above the mmap threshold, thread stacks. */
  anonymous: number;
}

interface Mapping {
  start: bigint;
  end: bigint;
  name: string;
  residentKb: number;
}

const KB_PER_MB = 1024;
/** glibc maps the arenas of threads at multiples of this (HEAP_MAX_SIZE on 64-bit systems). */
const ARENA_BYTES = 64n * 1024n * 1024n;

/** Throws where the process has ended, or there is no /proc. */
export function residentOf(pid: number): Resident {
  const mappings = parseSmaps(readFileSync(`/proc/${pid}/smaps`, 'utf8'));
  const sum = (wanted: (one: Mapping) => boolean): number =>
    mappings.filter(wanted).reduce((kb, one) => kb + one.residentKb, 0) / KB_PER_MB;
  const arenas = arenaRanges(mappings);
  const isMalloc = (one: Mapping): boolean =>
    one.name === '[heap]' || (one.name === '' && arenas.some(({ start, end }) => one.start >= start && one.end <= end));
  const isFile = (one: Mapping): boolean => one.name.startsWith('/');
  return {
    total: sum(() => true),
    files: sum(isFile),
    malloc: sum(isMalloc),
    anonymous: sum((one) => !isFile(one) && !isMalloc(one)),
  };
}

/** An arena is a whole range of 64 MB: its used part readable, the rest reserved without access, so both end at the boundary. */
function arenaRanges(mappings: readonly Mapping[]): { start: bigint; end: bigint }[] {
  const byStart = new Map(mappings.map((one) => [one.start, one]));
  return mappings.flatMap((one) => {
    if (one.name !== '' || one.start % ARENA_BYTES !== 0n) return [];
    const end = one.start + ARENA_BYTES;
    const rest = byStart.get(one.end);
    const isArena = one.end === end || (rest !== undefined && rest.name === '' && rest.end === end);
    return isArena ? [{ start: one.start, end }] : [];
  });
}

function parseSmaps(text: string): Mapping[] {
  const mappings: Mapping[] = [];
  for (const line of text.split('\n')) {
    const header = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s*(.*)$/.exec(line);
    if (header !== null) {
      const [, start = '', end = '', name = ''] = header;
      mappings.push({ start: BigInt(`0x${start}`), end: BigInt(`0x${end}`), name, residentKb: 0 });
      continue;
    }
    const resident = /^Rss:\s+(\d+) kB$/.exec(line);
    const last = mappings.at(-1);
    if (resident !== null && last !== undefined) last.residentKb = Number(resident[1]);
  }
  return mappings;
}

export interface Program {
  name: string;
  count: number;
  /** What its processes share is divided among them. */
  proportional: number;
}

/** The descendants of a process, by program. */
export function processesUnder(root: number): Program[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readFacts);
  const found = all.filter(({ parent }) => parent === root);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  const programs = new Map<string, Program>();
  for (const { name, proportionalKb } of found) {
    const program = programs.get(name) ?? { name, count: 0, proportional: 0 };
    program.count += 1;
    program.proportional += proportionalKb / KB_PER_MB;
    programs.set(name, program);
  }
  return [...programs.values()];
}

function readFacts(name: string): { pid: number; parent: number; name: string; proportionalKb: number }[] {
  try {
    const [, program = '', rest = ''] =
      /^\d+ \((.*)\) \S (.*)$/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
    const proportional = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${name}/smaps_rollup`, 'utf8'));
    const parent = Number(rest.split(' ')[0]);
    return [{ pid: Number(name), parent, name: program, proportionalKb: Number(proportional?.[1] ?? 0) }];
  } catch {
    return []; // it has ended, or has no memory of its own
  }
}
