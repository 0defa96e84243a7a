import { z } from 'zod';
import { isoDurationSeconds } from '../../domain/approval-policies/durations.ts';

const CHARACTERS_MAX = 40;

/** A duration as requests name it, in ISO 8601. Both ends are written so, and are allowed themselves. */
export function durationSchema({ from, to, example }: { from: string; to: string; example: string }) {
  const [least, most] = [durationSeconds(from), durationSeconds(to)];
  return z
    .string()
    .max(CHARACTERS_MAX)
    .refine((text) => {
      const seconds = isoDurationSeconds(text);
      return seconds !== null && seconds >= least && seconds <= most;
    }, `must be an ISO 8601 duration from ${from} to ${to}, such as ${example}`);
}

/** Seconds of a duration that its schema let through. */
export function durationSeconds(text: string): number {
  const seconds = isoDurationSeconds(text);
  if (seconds === null) throw new Error(`${text} was taken for a duration and is none`);
  return seconds;
}
