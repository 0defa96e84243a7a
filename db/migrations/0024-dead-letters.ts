import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0024-dead-letters';

/**
 * Dead letters: a row for each message that failed for good, with what lists filter by; all else is read from the message. The row
 * is made by the statement that ends the message (db/messages/attempts.ts) and never changes. Whoever deletes it has it: a
 * retry makes its new message in the same transaction.
 *
 * No foreign key points at the message: each goes at its own time. The days of a dead letter count from when its message failed.
 *
 * A job retries or clears many of them, page by page. Its counters and its cursor move in the transaction of the page.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(DEAD_LETTERS);
  await knex.raw(JOBS);
  await makeDirectoryFunctions(knex, DIRECTORY, ['delete_old_dead_letters(integer)']);
}

const DEAD_LETTERS = `
  CREATE TABLE dead_letters (
    message_id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    retention text NOT NULL,         -- the class of the message
    reason text NOT NULL CHECK (reason IN ('retries_exhausted', 'gone', 'not_retryable', 'destination_blocked')),
    url text NOT NULL,
    url_group_id text COLLATE "C",
    schedule_id text COLLATE "C",
    response_status integer CHECK (response_status BETWEEN 100 AND 599),
    label text,
    last_attempt_at timestamptz(3),
    failed_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX dead_letters_newest_first ON dead_letters (environment_id, failed_at DESC, message_id DESC);
  CREATE INDEX dead_letters_pages ON dead_letters (environment_id, message_id);
  CREATE INDEX dead_letters_by_age ON dead_letters (retention, failed_at);
  CREATE INDEX dead_letters_by_reason ON dead_letters (environment_id, reason, failed_at DESC, message_id DESC);
  CREATE INDEX dead_letters_by_status ON dead_letters (environment_id, response_status, failed_at DESC, message_id DESC);
  CREATE INDEX dead_letters_by_url ON dead_letters USING hash (url);
  CREATE INDEX dead_letters_by_group ON dead_letters (url_group_id, failed_at DESC, message_id DESC) WHERE url_group_id IS NOT NULL;
  CREATE INDEX dead_letters_by_schedule ON dead_letters (schedule_id, failed_at DESC, message_id DESC) WHERE schedule_id IS NOT NULL;
  CREATE INDEX dead_letters_by_label ON dead_letters (environment_id, label, failed_at DESC, message_id DESC) WHERE label IS NOT NULL;
  CALL make_tenant_table('dead_letters', 'SELECT, INSERT, DELETE');
`;

const JOBS = `
  CREATE TABLE dead_letter_jobs (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    kind text NOT NULL CHECK (kind IN ('retry', 'clear', 'recover')),
    filter jsonb NOT NULL CHECK (jsonb_typeof(filter) = 'object'),
    requested_by jsonb NOT NULL,     -- { type, id }
    api_key_id text,                 -- whose budget is charged; null: a person's
    publishes_while_halted boolean NOT NULL,
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'paused', 'completed', 'failed', 'cancelled')),
    reason jsonb,                    -- { code, message }: why it pauses or failed
    total integer CHECK (total >= 0), -- null until the records are counted
    done integer NOT NULL DEFAULT 0 CHECK (done >= 0),
    failed integer NOT NULL DEFAULT 0 CHECK (failed >= 0), -- records that could not be retried, and stay
    after_id text COLLATE "C" NOT NULL DEFAULT '', -- the cursor: the last record of the last page
    page_ids text[] NOT NULL DEFAULT '{}',  -- the messages of the last page
    looked_at timestamptz(3) NOT NULL DEFAULT now(), -- by its workflow
    created_at timestamptz(3) NOT NULL DEFAULT now(), -- only records that failed until then are touched
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    subscription_id text COLLATE "C", -- the subscription that is recovered
    CHECK ((status IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL)),
    CONSTRAINT dead_letter_jobs_of_subscriptions CHECK ((kind = 'recover') = (subscription_id IS NOT NULL))
  );
  CREATE INDEX dead_letter_jobs_newest_first ON dead_letter_jobs (environment_id, created_at DESC, id DESC);
  CREATE INDEX dead_letter_jobs_open ON dead_letter_jobs (looked_at) WHERE ended_at IS NULL;
  CALL make_tenant_table('dead_letter_jobs', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (status, reason, total, done, failed, after_id, page_ids, looked_at, updated_at, ended_at)
    ON dead_letter_jobs TO service_app;

  CREATE FUNCTION check_dead_letter_job_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.ended_at IS NOT NULL AND (NEW.status, NEW.done, NEW.failed, NEW.after_id)
       IS DISTINCT FROM (OLD.status, OLD.done, OLD.failed, OLD.after_id) THEN
      RAISE EXCEPTION 'dead-letter job % has ended', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.after_id < OLD.after_id OR NEW.done < OLD.done OR NEW.failed < OLD.failed THEN
      RAISE EXCEPTION 'the cursor and the counters of dead-letter job % only move forward', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE ON dead_letter_jobs FOR EACH ROW EXECUTE FUNCTION check_dead_letter_job_move();
`;

const DIRECTORY = `
  CREATE POLICY directory ON dead_letters TO service_directory USING (true);
  GRANT SELECT (message_id, retention, failed_at), DELETE ON dead_letters TO service_directory;

  -- Deletes a part of the records whose messages have had their time. In the order of an index and by an array of ids, so that no call reads
  -- the table, whatever is known of it: with IN, a plan for any number of ids joins all of it. 0: none is left.
  CREATE FUNCTION delete_old_dead_letters(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    kept record;
    deleted integer;
    total integer := 0;
  BEGIN
    FOR kept IN SELECT k.class AS retention, now() - make_interval(days => k.record_days) AS since FROM message_retention_classes() k LOOP
      DELETE FROM dead_letters d WHERE d.message_id = ANY (ARRAY(
        SELECT o.message_id FROM dead_letters o WHERE o.retention = kept.retention AND o.failed_at < kept.since
        ORDER BY o.failed_at LIMIT most));
      GET DIAGNOSTICS deleted = ROW_COUNT;
      total := total + deleted;
    END LOOP;
    RETURN total;
  END $$;
`;
