import type { Subject } from './subject.ts';

export type Status = 'ok' | 'fail' | 'skipped';

/** What a check found, in one sentence. Where it fails, `remedy` says what to do. */
export type Finding = { status: 'ok' | 'skipped'; found: string } | { status: 'fail'; found: string; remedy: string };

export interface Check {
  name: string;
  /** What holds where the check is passed: a sentence without its period, for docs/doctor.md. */
  holds: string;
  /** The page of docs/ that says more, with its anchor. */
  page: string;
  /** Checks that stand above it in the table. It is skipped where one of them did not pass. */
  needs?: readonly string[];
  run(subject: Subject): Finding | Promise<Finding>;
}

export const ok = (found: string): Finding => ({ status: 'ok', found });
export const skipped = (found: string): Finding => ({ status: 'skipped', found });
export const fail = (found: string, remedy: string): Finding => ({ status: 'fail', found, remedy });
