import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0028-notifications';

/**
 * What members are told of. A notification is one row for its whole environment; what a reader (a user, or an API key) has read or put
 * away is a mark of that reader alone, with the count that it saw: when the count grows, the notification is unread again.
 *
 * The database holds that what a notification says never changes, and that its count only grows. Settings belong to the workspace, and
 * what a member has muted to that member.
 *
 * An e-mail is a row for each recipient of a notification. It is claimed (`sending`) before a byte of it is sent, and no claim is ever
 * given out again once its message may have arrived: what became of it is `unknown` then.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(NOTIFICATIONS);
  await knex.raw(SETTINGS);
  await knex.raw(EMAILS);
  await makeDirectoryFunctions(knex, KEEPING, [
    'find_old_notifications(interval, text, integer)',
    'delete_old_notifications(interval, text[])',
  ]);
}

const NOTIFICATIONS = `
  CREATE TABLE notifications (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    type text NOT NULL,
    title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
    body text NOT NULL CHECK (char_length(body) <= 2000),
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    coalesce_key text NOT NULL,
    count integer NOT NULL DEFAULT 1 CHECK (count >= 1),
    alerted_as_of timestamptz(3),    -- alert_webhook_set_at of the webhook that was told of it; null: none was
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (environment_id, coalesce_key)
  );
  CREATE INDEX notifications_newest_first ON notifications (environment_id, updated_at DESC, id DESC);
  CREATE INDEX notifications_by_age ON notifications (updated_at);
  CALL make_tenant_table('notifications', 'SELECT, INSERT');
  GRANT UPDATE (count, alerted_as_of, updated_at) ON notifications TO service_app;

  CREATE FUNCTION check_notification_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.environment_id, NEW.type, NEW.title, NEW.body, NEW.subject_type, NEW.subject_id, NEW.coalesce_key, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.type, OLD.title, OLD.body, OLD.subject_type, OLD.subject_id, OLD.coalesce_key, OLD.created_at)
       OR NEW.count < OLD.count THEN
      RAISE EXCEPTION 'notification % says what it said', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_change BEFORE UPDATE ON notifications FOR EACH ROW EXECUTE FUNCTION check_notification_change();

  CREATE TABLE notification_marks (
    notification_id text COLLATE "C" NOT NULL REFERENCES notifications ON DELETE CASCADE,
    environment_id uuid NOT NULL REFERENCES environments,
    reader text COLLATE "C" NOT NULL,   -- a user or an API key
    read_at timestamptz(3),
    read_count integer NOT NULL DEFAULT 0,      -- read: as many as the notification counts
    dismissed_count integer NOT NULL DEFAULT 0, -- put away: the same
    PRIMARY KEY (notification_id, reader)
  );
  CALL make_tenant_table('notification_marks', 'SELECT, INSERT');
  GRANT UPDATE (read_at, read_count, dismissed_count) ON notification_marks TO service_app;
`;

const SETTINGS = `
  CREATE TABLE notification_settings (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    alert_webhook_url text CHECK (char_length(alert_webhook_url) <= 2048),
    alert_webhook_set_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(), -- when it last changed
    email_recipients text[] NOT NULL DEFAULT '{}' CHECK (cardinality(email_recipients) <= 20),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  ALTER TABLE notification_settings ENABLE ROW LEVEL SECURITY;
  ALTER TABLE notification_settings FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON notification_settings USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON notification_settings TO service_app;
  GRANT UPDATE (alert_webhook_url, alert_webhook_set_at, email_recipients, updated_at) ON notification_settings TO service_app;

  CREATE TABLE notification_mutes (
    workspace_id uuid NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    types text[] NOT NULL,
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, user_id),
    FOREIGN KEY (workspace_id, user_id) REFERENCES members ON DELETE CASCADE
  );
  ALTER TABLE notification_mutes ENABLE ROW LEVEL SECURITY;
  ALTER TABLE notification_mutes FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON notification_mutes USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON notification_mutes TO service_app;
  GRANT UPDATE (types, updated_at) ON notification_mutes TO service_app;
`;

const EMAILS = `
  CREATE TABLE notification_emails (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    notification_id text COLLATE "C" NOT NULL REFERENCES notifications ON DELETE CASCADE,
    recipient text NOT NULL CHECK (char_length(recipient) <= 254),
    status text NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'refused', 'failed', 'unknown')),
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    reason text CHECK (char_length(reason) <= 200), -- why it was not sent, without a word of the mail server
    next_attempt_at timestamptz(3) NOT NULL DEFAULT now(), -- sending: when its attempt is over at the latest
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    UNIQUE (notification_id, recipient),
    CHECK ((status IN ('queued', 'sending')) = (ended_at IS NULL))
  );
  CALL make_tenant_table('notification_emails', 'SELECT, INSERT');
  GRANT UPDATE (status, attempts, reason, next_attempt_at, ended_at) ON notification_emails TO service_app;

  CREATE FUNCTION check_notification_email_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (NEW.id, NEW.environment_id, NEW.notification_id, NEW.recipient, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.notification_id, OLD.recipient, OLD.created_at) THEN
      RAISE EXCEPTION 'e-mail % is for whom it was', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    -- A late answer settles what was unknown. Nothing queues it again.
    IF NEW.status <> OLD.status AND NOT (OLD.status || ' ' || NEW.status) = ANY (ARRAY['queued sending', 'queued failed', 'sending queued', 'sending sent',
       'sending failed', 'sending unknown', 'unknown sent', 'unknown failed']) THEN
      RAISE EXCEPTION 'e-mail % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.attempts <> OLD.attempts + (NEW.status = 'sending' AND OLD.status <> 'sending')::int THEN
      RAISE EXCEPTION 'an attempt of e-mail % counts when it is claimed', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE ON notification_emails FOR EACH ROW EXECUTE FUNCTION check_notification_email_move();
`;

const KEEPING = `
  CREATE POLICY directory ON notifications TO service_directory USING (true);
  GRANT SELECT (id, updated_at), DELETE ON notifications TO service_directory;

  CREATE FUNCTION find_old_notifications(older_than interval, after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT n.id FROM notifications n WHERE n.id > after_id AND n.updated_at < now() - older_than ORDER BY n.id LIMIT most;
    END;

  -- Their marks and e-mails go with them.
  CREATE FUNCTION delete_old_notifications(older_than interval, ids text[]) RETURNS integer
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH gone AS (DELETE FROM notifications n WHERE n.id = ANY (ids) AND n.updated_at < now() - older_than RETURNING n.id)
      SELECT count(*)::int FROM gone;
    END;
`;
