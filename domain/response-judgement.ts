import type { PartialEffect } from './lifecycle.ts';

/** A status code, or a class of them such as `4xx`. */
export type StatusPattern = number | string;

export interface StatusLists {
  success?: readonly StatusPattern[] | undefined;
  failure?: readonly StatusPattern[] | undefined;
}

export interface Judgement {
  outcome: 'succeeded' | 'failed' | 'unknown';
  partialEffect: PartialEffect;
}

const DEFAULT_SUCCESS: readonly StatusPattern[] = ['2xx'];

/** Statuses that prove a rejection (RFC 9110). Not 408, 409, 423, 425, 499: a conflict may be with our work. */
const DEFAULT_FAILURE: readonly StatusPattern[] = [
  400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431, 451,
];

const UNKNOWN: Judgement = { outcome: 'unknown', partialEffect: 'possible' };

/** A listed code beats a listed class. The table: docs/adapters.md, "How the outcome is judged". */
export function judgeStatus(status: number, lists: StatusLists): Judgement {
  const success = lists.success ?? DEFAULT_SUCCESS;
  const failure = lists.failure ?? DEFAULT_FAILURE;
  for (const pattern of [status, `${Math.floor(status / 100)}xx`]) {
    if (success.includes(pattern)) return { outcome: 'succeeded', partialEffect: 'none' };
    if (failure.includes(pattern)) return { outcome: 'failed', partialEffect: 'none' };
  }
  return UNKNOWN;
}
