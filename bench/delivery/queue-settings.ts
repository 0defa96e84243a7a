import { MAX_RETRIES_DEFAULT } from '../../domain/messages/messages.ts';

/** A workspace has this many deliveries in flight by default (WORKSPACE_DELIVERIES_MAX), and so has each queue. */
export const CALLS_AT_ONCE = 20;

export const BOSS_QUEUE = 'deliver';
/** As many retries as ours, and of their back-offs the one nearest to ours. `notify` wakes a worker at once: pg-boss's low-latency dispatch. */
export const BOSS_QUEUE_OPTIONS = {
  notify: true,
  retryLimit: MAX_RETRIES_DEFAULT,
  retryDelay: 12,
  retryBackoff: true,
  retryDelayMax: 24 * 60 * 60,
};

export const GRAPHILE_TASK = 'deliver';
/** Its attempts count the first one too. The back-off is its own: e^n seconds. */
export const GRAPHILE_SPEC = { maxAttempts: MAX_RETRIES_DEFAULT + 1 };
