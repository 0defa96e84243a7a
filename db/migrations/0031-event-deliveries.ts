import type { Knex } from 'knex';

export const name = '0031-event-deliveries';

/**
 * What becomes of the deliveries of events: the clock of a subscription that fails, its log of attempts, and jobs that recover it.
 *
 * - A subscription that is enabled again, or points elsewhere, begins anew: what failed before says nothing of it. A trigger forgets it,
 *   so that no writer has to.
 * - An attempt names the subscription that it was made for, so that the log of one is read by an index and not through its messages.
 * - A recovery is a job as those of dead letters are: the same rows, pages, cursor and sweep. A delivery that failed is recovered once:
 *   the message that delivers it again names it in `retry_of`. One recovery of a subscription is under way at a time, so no two
 *   look for the same one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(CLOCK);
  await knex.raw(ATTEMPTS);
  await knex.raw(RECOVERIES);
}

const CLOCK = `
  CREATE FUNCTION forget_failures() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.failing_since := NULL;
    NEW.last_failure_at := NULL;
    NEW.clock_runs := false;
    NEW.disabled_at := NULL;
    RETURN NEW;
  END $$;
  CREATE TRIGGER forget_failures BEFORE UPDATE OF url, enabled ON event_subscriptions FOR EACH ROW
    WHEN ((NEW.enabled AND NOT OLD.enabled) OR (NEW.url <> OLD.url AND NEW.enabled)) EXECUTE FUNCTION forget_failures();
`;

const ATTEMPTS = `
  CREATE INDEX message_attempts_of_subscription ON message_attempts (subscription_id, started_at DESC, message_id DESC, number DESC)
    WHERE subscription_id IS NOT NULL;
`;

const RECOVERIES = `
  CREATE UNIQUE INDEX dead_letter_jobs_one_recovery ON dead_letter_jobs (subscription_id) WHERE ended_at IS NULL AND subscription_id IS NOT NULL;
  CREATE INDEX dead_letter_jobs_of_subscription ON dead_letter_jobs (subscription_id, created_at DESC, id DESC) WHERE subscription_id IS NOT NULL;

  CREATE INDEX messages_failed_of_subscription ON messages (subscription_id, id) WHERE status = 'failed' AND subscription_id IS NOT NULL;
  CREATE INDEX messages_by_retried ON messages (retry_of) WHERE retry_of IS NOT NULL;
`;
