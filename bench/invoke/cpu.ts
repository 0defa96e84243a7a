import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, independent of the kernel's own tick. */
const TICK_MS = 10;

/** CPU time by the name of the program, ms. */
export type CpuTimes = Record<string, number>;

/**
 * CPU time of a process and its descendants, by program. An ended process is counted if its parent waited
 * for it. Empty on a system without /proc. Other load on the machine changes wall-clock time, but hardly CPU time.
 */
export function cpuTimesOf(pid: number): CpuTimes {
  const times: CpuTimes = {};
  for (const one of processesUnder(pid)) times[one.name] = (times[one.name] ?? 0) + one.cpuMs;
  return times;
}

export function since(before: CpuTimes, after: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
}

interface ProcessFacts {
  pid: number;
  parent: number;
  name: string;
  cpuMs: number;
}

function processesUnder(root: number): ProcessFacts[] {
  const all = listPids().flatMap((pid) => readFacts(pid));
  const found = all.filter((one) => one.pid === root);
  for (const one of found) found.push(...all.filter((other) => other.parent === one.pid));
  return found;
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readFacts(pid: number): ProcessFacts[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return []; // it has ended
  }
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  const fields = rest.split(' ').map(Number); // from the third field of proc(5) on: state, parent, ...
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0);
  return [{ pid, parent: fields[1] ?? 0, name, cpuMs: ticks * TICK_MS }];
}
