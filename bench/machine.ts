import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { projectRoot } from '../process/project-root.ts';

const BYTES_PER_GB = 1024 ** 3;

export interface Machine {
  cores: number;
  cpu: string;
  memoryGb: number;
  platform: string;
  node: string;
  /** The load average of a minute before the run: what others did on the machine. */
  loadBefore: number;
}

export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / BYTES_PER_GB),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    loadBefore: loadavg()[0] ?? Number.NaN,
  };
}

/** When, on which commit and on which machine a result was taken: the first line of every result. */
export function describeRun({
  takenAt,
  machine,
  commit = currentCommit(),
}: {
  takenAt: string;
  machine: Machine;
  commit?: string;
}): string {
  return `Taken ${takenAt} at commit ${commit} on ${describeMachine(machine)}.`;
}

function describeMachine({ cores, cpu, memoryGb, platform, node, loadBefore }: Machine): string {
  return `${cores} cores (${cpu}), ${memoryGb} GB, ${platform}, Node ${node}; load average before: ${loadBefore.toFixed(1)}`;
}

/** Carries a mark if tracked files differ from the commit. */
export function currentCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: projectRoot(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'unknown'; // an archive without git history
  }
}
