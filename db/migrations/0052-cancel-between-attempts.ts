import type { Knex } from 'knex';

export const name = '0052-cancel-between-attempts';

/** A message that waits for its next attempt may be cancelled: its retries may last for days. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION check_message_move() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_user = 'service_directory' THEN
        -- It moves rows to another partition, which deletes and inserts them, and deletes those that were kept and have had their time.
        IF TG_OP <> 'DELETE' THEN RETURN NEW; END IF;
        IF NOT starts_with(OLD.retention, 'kept_') THEN RETURN OLD; END IF;
        IF OLD.status IN ('delivered', 'failed', 'cancelled') AND OLD.updated_at < now() - interval '7 days' THEN RETURN OLD; END IF;
      END IF;
      IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'message % is not deleted: it goes with its partition', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF TG_OP = 'INSERT' THEN
        IF NEW.status NOT IN ('pending', 'scheduled') THEN
          RAISE EXCEPTION 'message % cannot begin as %', NEW.id, NEW.status USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
      END IF;
      IF (NEW.id, NEW.retention, NEW.kind, NEW.url, NEW.method, NEW.scheduled_for,
          NEW.max_retries, NEW.callback_url, NEW.failure_callback_url, NEW.callback_of, NEW.schedule_id, NEW.url_group_id,
          NEW.url_group_endpoint_id, NEW.flow_control_key_id, NEW.flow_control_key, NEW.retry_of, NEW.published_by, NEW.created_at)
         IS DISTINCT FROM (OLD.id, OLD.retention, OLD.kind, OLD.url, OLD.method, OLD.scheduled_for,
          OLD.max_retries, OLD.callback_url, OLD.failure_callback_url, OLD.callback_of, OLD.schedule_id, OLD.url_group_id,
          OLD.url_group_endpoint_id, OLD.flow_control_key_id, OLD.flow_control_key, OLD.retry_of, OLD.published_by, OLD.created_at) THEN
        RAISE EXCEPTION 'what message % was asked to carry is immutable', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.attempts < OLD.attempts THEN
        RAISE EXCEPTION 'the attempts of message % only grow', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.status <> OLD.status AND NOT (CASE OLD.status
          WHEN 'scheduled' THEN NEW.status IN ('pending', 'processing', 'cancelled')
          WHEN 'pending' THEN NEW.status IN ('processing', 'cancelled')
          WHEN 'processing' THEN NEW.status IN ('delivered', 'failed', 'cancelled')
          ELSE false
        END) THEN
        RAISE EXCEPTION 'message % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$;
  `);
}
