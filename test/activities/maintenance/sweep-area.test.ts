import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainMessage } from '../../db/messages/plain-message.ts';
import type { Database } from '../../../db/client.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { createActivities } from '../../../activities/index.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { newId } from '../../../domain/ids.ts';
import { ActivityWorld, adapterThat } from '../invocations/world.ts';

/** Every area of the sweep with a row that always fails: only that row fails; it is named in the log and counted. */
let world: ActivityWorld;
let environmentId: string;
beforeAll(async () => {
  world = await ActivityWorld.start();
  ({ environmentId } = world.database.tenant);
});
afterAll(() => world.close());

interface Planted {
  /** In the order in which the sweep finds them. The second one always fails. */
  ids: string[];
  /** The rows that were repaired. */
  mended: () => Promise<string[]>;
  overrides?: Partial<ActivityDependencies>;
}

const owner = (sql: string, values: unknown[] = []) => world.database.asOwner<{ id: string }>(sql, values);
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

/** Replaces Temporal for the sweep's starts: it refuses the second row. */
function starting(
  ids: string[],
  name:
    | 'startInvocation'
    | 'cancelInvocation'
    | 'startReads'
    | 'wakeApproval'
    | 'wakeMessage'
    | 'resumeMessages'
    | 'wakeDeadLetterJob'
    | 'wakeMemoryJob'
    | 'fanOutEvent'
    | 'sendEmail'
    | 'putSchedule',
): Planted {
  const started: string[] = [];
  const start = (ref: Record<string, unknown>): Promise<void> => {
    const id = ids.find((one) => Object.values(ref).includes(one)) ?? 'another';
    if (id === ids[1]) return Promise.reject(new Error('this one is refused'));
    started.push(id);
    return Promise.resolve();
  };
  return { ids, mended: () => Promise.resolve(started), overrides: { [name]: start } };
}

/** Rows to delete, one of which cannot be deleted. `ids` are the sweep's names for them; `SELECT id FROM left` lists the rest. */
async function deleting(table: string, ids: string[], left: string, poison: string): Promise<Planted> {
  await owner(`
    CREATE FUNCTION refuse_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF ${poison} THEN RAISE EXCEPTION 'this one stays'; END IF; RETURN OLD; END $$;
    CREATE TRIGGER poison BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_${table}()`);
  return {
    ids,
    mended: async () => {
      const there = new Set(idsOf(await owner(`SELECT ${left} AS id FROM ${table}`)));
      return ids.filter((id) => !there.has(id));
    },
  };
}

async function plantCollection(): Promise<string> {
  const id = newId('collection');
  await owner(
    `INSERT INTO memory_collections (id, environment_id, name, embedding_model, embedding_dimensions) VALUES ($1, $2, $1, 'fake', 2)`,
    [id, environmentId],
  );
  return id;
}

const AREAS: Record<string, () => Promise<Planted>> = {
  'due-files': async () => {
    const ids = Array.from({ length: 3 }, () => newId('file')).sort();
    await owner(
      `INSERT INTO files (id, environment_id, upload, status, filename, content_type, size, created_by, expires_at, due_at)
       SELECT id, $2, 'direct', 'pending', 'lost.txt', 'text/plain', 1, '{}', now() - interval '1 second', now() - interval '1 second'
       FROM unnest($1::text[]) id`,
      [ids, environmentId],
    );
    return deleting('files', ids, 'id', `OLD.id = '${ids[1]}'`);
  },
  'old-notifications': async () => {
    const ids = Array.from({ length: 3 }, () => newId('notification'));
    for (const id of ids) {
      await owner(
        `INSERT INTO notifications (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key, updated_at)
         VALUES ($1, $2, 'message.failed', 'Old', '', 'message', 'msg_1', $1, now() - interval '91 days')`,
        [id, environmentId],
      );
    }
    return deleting('notifications', ids, 'id', `OLD.id = '${ids[1]}'`);
  },
  'lost-invocations': async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await world.admit()).invocationId);
    await owner(
      `SET session_replication_role = 'replica'; UPDATE invocations SET created_at = now() - interval '1 hour'`,
    );
    return starting(ids.sort(), 'startInvocation');
  },
  'lost-messages': async () => {
    const ids = Array.from({ length: 3 }, () => newId('message')).sort();
    await world.transaction((tx) =>
      insertMessages(
        tx,
        ids.map((id) => plainMessage({ id })),
      ),
    );
    await owner(`SET session_replication_role = 'replica'; UPDATE messages SET created_at = now() - interval '1 hour'`);
    return starting(ids, 'wakeMessage');
  },
  'held-messages': async () => {
    const { development, staging, production } = world.database.tenants;
    const tenants = [development, staging, production];
    for (const tenant of tenants) {
      const id = newId('message');
      await world.database.db.withEnvironment(tenant, (tx) => insertMessages(tx, [plainMessage({ id })]));
      await owner(`UPDATE messages SET held_at = now() - interval '1 hour', begun_at = now() WHERE id = $1`, [id]);
    }
    return starting(tenants.map((tenant) => tenant.environmentId).sort(), 'resumeMessages');
  },
  'idle-dead-letter-jobs': async () => {
    const ids = Array.from({ length: 3 }, () => newId('deadLetterJob')).sort();
    await owner(
      `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, requested_by, publishes_while_halted, looked_at)
       SELECT id, $2, 'retry', '{}', '{}', false, now() - interval '1 hour' FROM unnest($1::text[]) id`,
      [ids, environmentId],
    );
    return starting(ids, 'wakeDeadLetterJob');
  },
  'idle-memory-jobs': async () => {
    const collection = await plantCollection();
    const ids = Array.from({ length: 3 }, () => newId('memoryJob')).sort();
    await owner(
      `INSERT INTO memory_jobs (id, environment_id, collection_id, kind, template, looked_at)
       SELECT id, $2, $3, 'ingest', '{}', now() - interval '1 hour' FROM unnest($1::text[]) id`,
      [ids, environmentId, collection],
    );
    return starting(ids, 'wakeMemoryJob');
  },
  'expired-memories': async () => {
    const collection = await plantCollection();
    const ids = Array.from({ length: 3 }, () => newId('memory')).sort();
    await owner(
      `INSERT INTO memories (id, environment_id, collection_id, chain_id, version, kind, content, expires_at)
       SELECT id, $2, $3, id, 1, 'fact', 'a word', now() - interval '1 second' FROM unnest($1::text[]) id`,
      [ids, environmentId, collection],
    );
    return deleting('memories', ids, 'id', `OLD.id = '${ids[1]}'`);
  },
  'unfanned-events': async () => {
    const topic = newId('topic');
    await owner(`INSERT INTO topics (id, environment_id, name) VALUES ($1, $2, 'orders')`, [topic, environmentId]);
    const ids = Array.from({ length: 3 }, () => newId('event')).sort();
    await owner(
      `INSERT INTO events (id, environment_id, topic_id, public_id, type, data, occurred_at, published_by, retention, created_at)
       SELECT id, $2, $3, id, 'order.paid', '{}', now(), '{}', 'month', now() - interval '1 hour' FROM unnest($1::text[]) id`,
      [ids, environmentId, topic],
    );
    return starting(ids, 'fanOutEvent');
  },
  'unsent-emails': async () => {
    const notification = newId('notification');
    await owner(
      `INSERT INTO notifications (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key)
       VALUES ($1, $2, 'message.failed', 'New', '', 'message', 'msg_1', $1)`,
      [notification, environmentId],
    );
    const ids = Array.from({ length: 3 }, () => newId('notificationEmail')).sort();
    await owner(
      `INSERT INTO notification_emails (id, environment_id, notification_id, recipient, status, next_attempt_at)
       SELECT id, $2, $3, id || '@example.com', 'queued', now() - interval '1 hour' FROM unnest($1::text[]) id`,
      [ids, environmentId, notification],
    );
    return starting(ids, 'sendEmail');
  },
  'untold-schedules': async () => starting(await plantSchedules(null), 'putSchedule'),
  'unfired-runs': async () => {
    const schedules = await plantSchedules(1);
    const planted = await owner(
      `INSERT INTO schedule_runs (environment_id, schedule_id, trigger, nominal_at, outcome, fired_at)
       SELECT $2, id, 'manual', now() - interval '1 hour', 'queued', now() - interval '1 hour' FROM unnest($1::text[]) id
       RETURNING schedule_id || '/manual/' || extract(epoch FROM nominal_at) AS id`,
      [schedules, environmentId],
    );
    const ids = idsOf(planted).sort();
    const fired: string[] = [];
    const startFiring: ActivityDependencies['startFiring'] = ({ scheduleId }) => {
      if (scheduleId === schedules[1]) return Promise.reject(new Error('this one is refused'));
      fired.push(ids[schedules.indexOf(scheduleId)] ?? 'another');
      return Promise.resolve();
    };
    return { ids, mended: () => Promise.resolve(fired), overrides: { startFiring } };
  },
  'waiting-flow-control-keys': async () => {
    const ids = await plantFlowControl(null);
    await owner(`
      CREATE FUNCTION refuse_grant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.key_id = '${ids[1]}' THEN RAISE EXCEPTION 'this one waits'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER poison BEFORE UPDATE ON flow_control_queue FOR EACH ROW EXECUTE FUNCTION refuse_grant()`);
    const granted = 'SELECT key_id AS id FROM flow_control_queue WHERE granted_at IS NOT NULL ORDER BY key_id';
    return {
      ids,
      mended: async () => idsOf(await owner(granted)),
      overrides: { wakeMessage: () => Promise.resolve() },
    };
  },
  'lost-flow-control-leases': async () => {
    await owner('DROP TRIGGER IF EXISTS poison ON flow_control_queue; DELETE FROM flow_control_queue');
    await plantFlowControl(`now() - interval '1 minute'`);
    const rows = await owner('SELECT message_id AS id FROM flow_control_queue ORDER BY message_id');
    return starting(idsOf(rows), 'wakeMessage');
  },
  'overdue-reads': async () => {
    const { adapterFor } = adapterThat(() => Promise.resolve({ kind: 'no_answer', reason: 'it was lost' }));
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const ref = await world.ready();
      await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
      ids.push(ref.effectId);
    }
    await owner(`UPDATE effects SET reconcile_next_at = now() - interval '1 hour' WHERE id = ANY ($1)`, [ids]);
    return starting(ids.sort(), 'startReads');
  },
  'unsettled-answers': async () => {
    const { adapterFor } = adapterThat(() => Promise.resolve({ kind: 'no_answer', reason: 'it was lost' }));
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const ref = await world.ready();
      await world.activities({ adapterFor }).dispatchEffect({ ...ref, settles: true });
      ids.push(ref.invocationId);
    }
    ids.sort();
    const listed = ids.map((id) => `'${id}'`).join();
    // A state that our code leaves only where settling failed on every try.
    await owner(`SET session_replication_role = 'replica';
      UPDATE attempts SET observed_outcome = 'succeeded' WHERE invocation_id IN (${listed})`);
    await owner(`
      CREATE FUNCTION refuse_settlement() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'this one stays'; END $$;
      CREATE TRIGGER poison BEFORE UPDATE ON invocations FOR EACH ROW WHEN (NEW.id = '${ids[1]}') EXECUTE FUNCTION refuse_settlement()`);
    return {
      ids,
      mended: async () => idsOf(await owner(`SELECT id FROM invocations WHERE status = 'succeeded' ORDER BY id`)),
    };
  },
  'unwatched-approvals': async () => {
    const ids = Array.from({ length: 3 }, () => newId('approval')).sort();
    await owner(
      `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
         prevent_self, requested_by, created_at, expires_at)
       SELECT id, $1, 'free_standing', 'Deploy', 'Deploys.', '{}', 'sha256:' || repeat('0', 64), 'caller', 'asked for', 1, '[{}]',
         true, '{"type": "api_key", "id": "key_agent"}', now() - interval '1 hour', now() + interval '1 hour' FROM unnest($2::text[]) id`,
      [environmentId, ids],
    );
    return starting(ids, 'wakeApproval');
  },
  'uncancelled-invocations': async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await world.admit()).invocationId);
    const runId = newId('run');
    await owner(
      "INSERT INTO runs (id, environment_id, status, ended_at, closed_at) VALUES ($1, $2, 'cancelled', now(), now())",
      [runId, environmentId],
    );
    await owner(
      `SET session_replication_role = 'replica';
       UPDATE invocations SET run_id = '${runId}', evaluated_at = now(), dependencies_awaited_at = now() WHERE id IN ('${ids.join("', '")}')`,
    );
    return starting(ids.sort(), 'cancelInvocation');
  },
  'expired-idempotency-claims': async () => {
    await owner(
      `INSERT INTO idempotency_claims (environment_id, key, request_digest, holder, lease_expires_at, expires_at)
       SELECT $1, key, 'sha256:0', gen_random_uuid(), now(), now() - interval '1 second' FROM unnest('{a,b/2,c}'::text[]) key`,
      [environmentId],
    );
    const ids = ['a', 'b/2', 'c'].map((key) => `${environmentId}/${key}`);
    return deleting('idempotency_claims', ids, `environment_id || '/' || key`, `OLD.key = 'b/2'`);
  },
  'expired-deduplications': async () => {
    const [message] = await owner('SELECT id FROM messages LIMIT 1');
    await owner(
      `INSERT INTO message_deduplications (environment_id, digest, message_id, expires_at)
       SELECT $1, decode(repeat(n, 32), 'hex'), $2, now() - interval '1 second' FROM unnest('{01,02,03}'::text[]) n`,
      [environmentId, message?.id],
    );
    const ids = ['01', '02', '03'].map((n) => `${environmentId}/${n.repeat(32)}`);
    const left = `environment_id || '/' || encode(digest, 'hex')`;
    return deleting('message_deduplications', ids, left, `get_byte(OLD.digest, 0) = 2`);
  },
  'expired-sessions': async () => {
    const ids = Array.from({ length: 3 }, () => newId('session'));
    // The last one is not past its end.
    for (const [id, seconds] of [...ids.map((one) => [one, -1] as const), [newId('session'), 60] as const]) {
      await owner(
        'INSERT INTO sessions (id, environment_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))',
        [id, environmentId, seconds],
      );
    }
    return deleting('sessions', ids, 'id', `OLD.id = '${ids[1]}'`);
  },
  'expired-sign-in-throttles': async () => {
    // The last three are kept: one failed today, one was used to sign in recently, and one did both.
    await owner(`INSERT INTO sign_in_throttles (key, last_failed_at, succeeded_at)
      SELECT decode(repeat(n, 32), 'hex'), now() - f::interval, now() - s::interval FROM (VALUES
        ('01', '2 days', NULL), ('02', '2 days', NULL), ('03', '40 days', '31 days'),
        ('04', '23 hours', NULL), ('05', '2 days', '29 days'), ('06', '1 second', '1 second')) v (n, f, s)`);
    const ids = ['01', '02', '03'].map((n) => n.repeat(32));
    return deleting('sign_in_throttles', ids, `encode(key, 'hex')`, `get_byte(OLD.key, 0) = 2`);
  },
  'expired-oauth-artifacts': async () => {
    // The last one expired a moment ago, and clocks differ.
    await owner(`INSERT INTO oauth_artifacts (hash, kind, payload, expires_at)
      SELECT decode(repeat(n, 32), 'hex'), 'Interaction', '{}', now() - e::interval
      FROM (VALUES ('01', '1 hour'), ('02', '1 hour'), ('03', '1 hour'), ('04', '1 second')) v (n, e)`);
    const ids = ['01', '02', '03'].map((n) => n.repeat(32));
    return deleting('oauth_artifacts', ids, `encode(hash, 'hex')`, `get_byte(OLD.hash, 0) = 2`);
  },
  'unused-oauth-clients': async () => {
    // The last two are kept: one is new, one is connected.
    await owner(`INSERT INTO oauth_clients (id, metadata, address_hash, created_at, last_used_at)
      SELECT n, '{}', decode(repeat('01', 32), 'hex'), now() - c::interval, now() - u::interval FROM (VALUES
        ('a', '25 hours', NULL), ('b', '25 hours', '1 hour'), ('c', '100 days', '91 days'),
        ('d', '23 hours', NULL), ('e', '100 days', '91 days')) v (n, c, u)`);
    await plantGrants([
      ['c', `ended_at = now(), ended_by = 'user'`],
      ['e', 'last_used_at = now()'],
    ]);
    return deleting('oauth_clients', ['a', 'b', 'c'], 'id', `OLD.id = 'b'`);
  },
  'ended-oauth-grants': async () => {
    const [a = '', b = '', c = ''] = await plantGrants([
      ['a', `ended_at = now() - interval '91 days', ended_by = 'user'`],
      ['b', `ended_at = now() - interval '91 days', ended_by = 'reuse'`],
      ['c', `created_at = now() - interval '500 days', expires_at = now() - interval '91 days'`],
      ['d', `ended_at = now() - interval '89 days', ended_by = 'app'`],
    ]);
    return deleting('oauth_grants', [a, b, c].sort(), 'id', `OLD.id = '${b}'`);
  },
  'old-previews': async () => {
    await plantOldPreviews();
    return deleting('previews', ['prv_a', 'prv_b', 'prv_c'], 'id', `OLD.id = 'prv_b'`);
  },
  'old-approvals': async () => {
    await plantOldApprovals();
    return deleting('approvals', ['apr_a', 'apr_b', 'apr_c'], 'id', `OLD.id = 'apr_b'`);
  },
  'expired-permits': async () => {
    const { workspaceId } = world.database.tenant;
    await owner(
      `INSERT INTO in_flight_permits (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
       SELECT $1, $2, 'delivery', holder, now(), true, now() - age::interval
       FROM (VALUES ('msg_a', '2 hours'), ('msg_b', '2 hours'), ('msg_c', '2 hours'), ('msg_d', '1 minute')) v (holder, age)`,
      [environmentId, workspaceId],
    );
    const ids = ['a', 'b', 'c'].map((id) => `${environmentId}/delivery/msg_${id}`);
    return deleting('in_flight_permits', ids, `environment_id || '/' || kind || '/' || holder`, `OLD.holder = 'msg_b'`);
  },
};

/** The areas whose rows are found inside the database: each step with the function that it calls. */
const STEPS: Record<string, Record<string, string>> = {
  'message-partitions': {
    make: 'make_message_partitions',
    keep: 'keep_live_messages',
    drop: 'drop_old_message_partition',
    delete_kept: 'delete_kept_messages',
    delete_dead_letters: 'delete_old_dead_letters',
  },
  'run-partitions': {
    make: 'make_run_partitions',
    drop: 'drop_old_run_partition',
    delete_outside_of_ranges: 'delete_runs_outside_of_ranges',
  },
  'old-events': { delete_old: 'delete_old_events', delete_of_deleted_topics: 'delete_deleted_topics' },
  'expired-chat-rows': { delete_clicks: 'delete_old_chat_clicks', delete_link_codes: 'delete_expired_link_codes' },
};

/** Three schedules that were changed an hour ago, and the revision that Temporal knows. */
async function plantSchedules(told: number | null): Promise<string[]> {
  const ids = Array.from({ length: 3 }, () => newId('schedule')).sort();
  await owner(
    `INSERT INTO schedules (id, environment_id, cron, timezone, overlap, catch_up_seconds, destination, body_kind, created_by, updated_at,
       told_revision, renew_at)
     SELECT id, $2, '0 9 * * *', 'UTC', 'skip', 60, '{}', 'none', '{}', now() - interval '1 hour', $3::integer,
       CASE WHEN $3::integer IS NOT NULL THEN now() + interval '1 day' END FROM unnest($1::text[]) id`,
    [ids, environmentId, told],
  );
  return ids;
}

/** Three keys, each with a message that has been due for an hour; their ids. */
async function plantFlowControl(grantedAt: string | null): Promise<string[]> {
  const ids = Array.from({ length: 3 }, () => newId('flowControlKey')).sort();
  await owner(`INSERT INTO flow_control_keys (id, environment_id, key) SELECT id, $1, id FROM unnest($2::text[]) id`, [
    environmentId,
    ids,
  ]);
  await owner(
    `INSERT INTO flow_control_queue (message_id, environment_id, key_id, due_at, granted_at, lease_until)
     SELECT 'msg_' || id, $1, id, now() - interval '1 hour', ${grantedAt}, CAST(${grantedAt} AS timestamptz) + interval '2 minutes' FROM unnest($2::text[]) id`,
    [environmentId, ids],
  );
  return ids;
}

/** One grant of an app for each client id, changed so. Answers their ids, in order. */
async function plantGrants(wanted: readonly (readonly [clientId: string, change: string])[]): Promise<string[]> {
  const user = newId('user');
  await owner(`INSERT INTO users (id, email, name, password_hash) VALUES ($1, $1, 'A member', 'none')`, [user]);
  const ids: string[] = [];
  for (const [clientId, change] of wanted) {
    const id = newId('connectedApp');
    await owner(
      `INSERT INTO oauth_grants (id, user_id, workspace_id, environment_id, client_id, client_name, resource, scopes, openid, request_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, 'App', 'mcp', '{}', false, decode($6, 'hex'), now() + interval '1 day')`,
      [id, user, world.database.tenant.workspaceId, environmentId, clientId, randomBytes(32).toString('hex')],
    );
    await owner(`UPDATE oauth_grants SET ${change} WHERE id = $1`, [id]);
    ids.push(id);
  }
  return ids;
}

/** Three that may go, and four that stay: too young, superseded, the successor, which is too young, and one already used. */
async function plantOldPreviews(): Promise<void> {
  const { invocationId } = await world.admit();
  await owner(
    `SET session_replication_role = 'origin';
     INSERT INTO previews (id, environment_id, action_id, version_id, adapter_type, adapter_version, invocation_id, operation_key, input, capabilities,
       target, request, request_digest, impact, blocks, preconditions, binding_digest, evidence_observed_at, expires_at, supersedes, made_by, created_by)
     SELECT v.id, i.environment_id, i.action_id, i.version_id, 'http.request', '1', CASE v.id WHEN 'prv_used' THEN i.id ELSE 'inv_' || v.id END,
       i.operation_key, i.input, '{}', '{}', '{}', 'sha256:' || repeat('0', 64), '[]', '[]', '{}', 'sha256:' || repeat('0', 64), now(),
       now() - v.ago::interval, v.former, 'caller', '{}'
     FROM invocations i, (VALUES ('prv_a', '31 days', NULL), ('prv_b', '31 days', NULL), ('prv_c', '31 days', NULL),
       ('prv_young', '29 days', NULL), ('prv_former', '31 days', NULL), ('prv_next', '29 days', 'prv_former'),
       ('prv_used', '31 days', NULL)) v (id, ago, former)
     WHERE i.id = '${invocationId}';
     SET session_replication_role = 'replica';
     UPDATE invocations SET preview_id = 'prv_used' WHERE id = '${invocationId}'`,
  );
}

/** Three that may go, and three that stay: one ended recently, one expired recently, and one whose workflow was not notified of the end. */
async function plantOldApprovals(): Promise<void> {
  await owner(
    `SET session_replication_role = 'replica';
     INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers, prevent_self,
       requested_by, status, awaited_status, created_at, decided_at, expires_at)
     SELECT v.id, '${environmentId}', 'free_standing', 'Deploy', 'Deploys.', '{}', 'sha256:' || repeat('0', 64), 'caller', 'asked for', 1, '[{}]', true,
       '{}', 'denied', v.awaited, now() - interval '200 days', now() - v.decided::interval, now() - v.expired::interval
     FROM (VALUES ('apr_a', 'denied', '91 days', '91 days'), ('apr_b', 'denied', '91 days', '91 days'), ('apr_c', 'denied', '91 days', '91 days'),
       ('apr_late', 'denied', '89 days', '91 days'), ('apr_long', 'denied', '91 days', '89 days'), ('apr_unheard', NULL, '91 days', '91 days'))
       v (id, awaited, decided, expired);
     INSERT INTO approval_decisions (approval_id, actor_type, actor_id, environment_id, decision, note, binding_digest, authentication)
     SELECT a.id, 'api_key', 'key_person', a.environment_id, 'deny', 'no', a.binding_digest, '{}' FROM approvals a WHERE a.title = 'Deploy' AND a.status = 'denied'`,
  );
}

describe('a step that always fails costs itself alone', () => {
  const cases = Object.entries(STEPS).flatMap(([area, steps]) =>
    Object.keys(steps).map((step) => [area, step] as const),
  );
  test.each(cases)('in the area %s: %s', async (area, broken) => {
    const steps = STEPS[area] ?? {};
    const called = new Set<string>();
    const raw = <Result>(sql: string): Promise<Result> => {
      const name = /^SELECT (\w+)\(/.exec(sql)?.[1] ?? sql;
      called.add(name);
      if (name === steps[broken]) return Promise.reject(new Error('this one is refused'));
      return Promise.resolve({ rows: [] } as Result); // it finds nothing to do
    };
    const lines: { area?: string; id?: string }[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
    const db = Object.assign(Object.create(world.database.db) as Database, { directory: { raw } });
    const { sweepArea } = createActivities(world.dependencies({ db, logger }));
    expect(await sweepArea(area)).toEqual({ seen: 1, failed: 1 });
    expect([...called]).toEqual(Object.values(steps));
    expect(lines.filter((line) => line.id !== undefined)).toMatchObject([{ area, id: broken }]);
    expect(lines.at(-1)).toMatchObject({ area, seen: 1, failed: 1, level: 50 });
  });
});

describe('a row that always fails costs itself alone', () => {
  test.each(Object.entries(AREAS))('in the area %s', async (name, plant) => {
    const { ids, mended, overrides = {} } = await plant();
    const lines: { area?: string; id?: string; msg: string }[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
    const { sweepArea } = createActivities(world.dependencies({ ...overrides, logger }));
    expect(await sweepArea(name)).toEqual({ seen: 3, failed: 1 });
    expect(await mended()).toEqual([ids[0], ids[2]]);
    expect(lines.filter((line) => line.id !== undefined)).toMatchObject([{ area: name, id: ids[1] }]);
    expect(lines.at(-1)).toMatchObject({ area: name, seen: 3, failed: 1, level: 50 });
  });

  test('every area is tested', async () => {
    const { listSweepAreas } = createActivities(world.dependencies());
    expect((await listSweepAreas()).sort()).toEqual([...Object.keys(AREAS), ...Object.keys(STEPS)].sort());
  });

  test('counts of failed sign-ins that still matter are kept', async () => {
    const kept = await owner(`SELECT get_byte(key, 0)::text AS id FROM sign_in_throttles ORDER BY key`);
    expect(idsOf(kept)).toEqual(['2', '4', '5', '6']);
  });

  test('previews that are young, used or superseded are kept', async () => {
    const kept = await owner(`SELECT id FROM previews WHERE id LIKE 'prv\\__%' AND length(id) < 12 ORDER BY id`);
    expect(idsOf(kept)).toEqual(['prv_b', 'prv_former', 'prv_next', 'prv_used', 'prv_young']);
    expect(
      idsOf(await owner(`SELECT preview_id AS id FROM unused_previews WHERE preview_id IN ('prv_a', 'prv_c')`)),
    ).toEqual([]);
  });

  test('approvals that ended lately, or that were not told of it, are kept, and decisions as long as their approval', async () => {
    const kept = ['apr_b', 'apr_late', 'apr_long', 'apr_unheard'];
    expect(idsOf(await owner(`SELECT id FROM approvals WHERE status = 'denied' ORDER BY id`))).toEqual(kept);
    expect(idsOf(await owner('SELECT approval_id AS id FROM approval_decisions ORDER BY 1'))).toEqual(kept);
  });
});
