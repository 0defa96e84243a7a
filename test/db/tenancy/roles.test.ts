import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';

/** The rights of the application's login in the database itself. */

const database = await createTestDatabase();
const application = new Client({ connectionString: database.applicationUrl });
await application.connect();
const login = new URL(database.applicationUrl).username;

afterAll(async () => {
  await application?.end();
});

const DIRECTORY_FUNCTIONS = [
  'active_firings_per_hour',
  'add_oauth_signing_key',
  'begin_sign_in_attempt',
  'charge_rate_limit',
  'claim_analytics_verification',
  'claim_workflow_starts',
  'consume_oauth_artifact',
  'consume_rate_limit',
  'consume_session_rate_limit',
  'count_executions',
  'count_pending_approvals_of_user',
  'count_recovered_work',
  'delete_deleted_topics',
  'delete_ended_oauth_grants',
  'delete_expired_cache_entries',
  'delete_expired_idempotency_claims',
  'delete_expired_link_codes',
  'delete_expired_message_deduplications',
  'delete_expired_oauth_artifacts',
  'delete_expired_places',
  'delete_expired_sessions',
  'delete_expired_sign_in_throttles',
  'delete_oauth_artifact',
  'delete_old_approvals',
  'delete_old_chat_clicks',
  'delete_old_dead_letters',
  'delete_old_events',
  'delete_old_messages',
  'delete_old_notifications',
  'delete_old_previews',
  'delete_runs_outside_of_ranges',
  'delete_unused_oauth_clients',
  'deliveries_in_flight',
  'discount_untold_grant',
  'end_sign_in_sessions',
  'find_alert_targets',
  'find_api_key',
  'find_due_files',
  'find_due_lanes',
  'find_ended_oauth_grants',
  'find_expired_idempotency_claims',
  'find_expired_memories',
  'find_expired_message_deduplications',
  'find_expired_oauth_artifacts',
  'find_expired_places',
  'find_expired_sessions',
  'find_expired_sign_in_throttles',
  'find_integration',
  'find_invitation',
  'find_oauth_access_token',
  'find_oauth_artifact',
  'find_oauth_client',
  'find_oauth_grant',
  'find_old_approvals',
  'find_old_notifications',
  'find_old_previews',
  'find_passkey_owner',
  'find_raised_events',
  'find_sign_in_session',
  'find_unclosed_months',
  'find_unsettled_answers',
  'find_unused_oauth_clients',
  'find_usage_crossings',
  'find_usage_drift',
  'find_user_by_email',
  'find_waiting_invocations_of_cancelled_runs',
  'fold_analytics_facts',
  'fold_stored_state',
  'forget_stored_weeks',
  'grant_free_places',
  'has_signed_in_from',
  'hold_api_key',
  'hold_oauth_grant',
  'hold_oauth_grants_of_user',
  'hold_session',
  'keep_start_of_approvals',
  'keep_start_of_dead_letter_jobs',
  'keep_start_of_effects',
  'keep_start_of_events',
  'keep_start_of_invocations',
  'keep_start_of_memory_jobs',
  'keep_start_of_notification_emails',
  'keep_start_of_schedule_runs',
  'keep_start_of_schedules',
  'list_applied_migrations',
  'list_environment_ids',
  'list_environments_of_user',
  'list_oauth_signing_keys',
  'list_workspaces_of_user',
  'mend_analytics_sums',
  'oldest_queued_seconds',
  'open_database_epoch',
  'put_oauth_artifact',
  'raise_workspace_event',
  'read_installation_figures',
  'read_recoveries',
  'register_oauth_client',
  'release_place',
  'release_recovery',
  'rewrap_oauth_signing_key',
  'settle_sign_in',
  'take_place',
];

describe('the application’s login', () => {
  test('has none of the powers that pass row-level security by', async () => {
    const rows = await database.asOwner(
      `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles
       WHERE rolname = $1 OR rolname IN ('service_app', 'service_directory')`,
      [login],
    );
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(Object.values(row).filter((value) => value === true)).toEqual([]);
  });

  test('is a member of service_app and of nothing else', async () => {
    const rows = await database.asOwner<{ name: string }>(
      `SELECT r.rolname AS name FROM pg_roles r WHERE r.rolname <> $1 AND pg_has_role($1, r.oid, 'MEMBER')`,
      [login],
    );
    expect(rows).toEqual([{ name: 'service_app' }]);
  });

  test('owns nothing, and nor does service_app', async () => {
    const rows = await database.asOwner(
      `SELECT classid::regclass, objid FROM pg_shdepend WHERE deptype = 'o' AND refobjid IN ($1::regrole, 'service_app'::regrole)`,
      [login],
    );
    expect(rows).toEqual([]);
  });

  test.each([
    ['take a role that looks across environments', 'SET ROLE service_directory'],
    ['switch row-level security off', 'ALTER TABLE secrets DISABLE ROW LEVEL SECURITY'],
    ['loosen a policy', 'CREATE POLICY mine ON secrets USING (true)'],
    ['switch triggers off', 'ALTER TABLE evidence DISABLE TRIGGER ALL'],
    ['skip triggers', "SET session_replication_role = 'replica'"],
    ['empty a table', 'TRUNCATE evidence'],
    ['make a table', 'CREATE TABLE mine (id int)'],
    [
      'replace a function',
      'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    ],
    ['read what migrations ran', 'SELECT * FROM migrations'],
    ['read the passwords', 'SELECT * FROM pg_authid'],
  ])('may not %s', async (_what, statement) => {
    await expect(application.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  test('gets an error, and not all rows, when it asks for row-level security to be off', async () => {
    await application.query('SET row_security = off');
    await expect(application.query('SELECT * FROM secrets')).rejects.toThrow(/row-level security/);
    await application.query('SET row_security = on');
  });
});

describe('the directory', () => {
  /** Triggers that run with the rights of the tables' owner, row-level security included. No one may call them. */
  const OWNER_TRIGGERS = [
    'advance_approval_policy',
    'chain_attempt',
    'chain_audit',
    'chain_evidence',
    'chain_late_answer',
    'chain_resolution',
    'keep_unused_preview',
    'move_policy_revision',
    'move_unused_preview',
  ];

  /** PostgreSQL lets the tables' owner alone make and drop partitions. These take no name and no time. */
  const PARTITION_FUNCTIONS = [
    'make_run_partitions',
    'drop_old_run_partition',
    'make_analytics_partitions',
    'drop_old_analytics_partition',
  ];

  test('is these functions, each with a fixed search path and closed to the public', async () => {
    const rows = await database.asOwner<{ name: string; path: string; open: boolean; app: boolean }>(
      `SELECT p.proname AS name, array_to_string(p.proconfig, ' ') AS path, has_function_privilege('service_app', p.oid, 'EXECUTE') AS app,
         EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0) OR p.proacl IS NULL AS open
       FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef ORDER BY 1`,
    );
    const ours = [...DIRECTORY_FUNCTIONS, ...OWNER_TRIGGERS, ...PARTITION_FUNCTIONS];
    expect(rows.map((row) => row.name)).toEqual(ours.toSorted());
    for (const row of rows) {
      const app = [...DIRECTORY_FUNCTIONS, ...PARTITION_FUNCTIONS].includes(row.name);
      expect(row).toMatchObject({ path: expect.stringMatching(/^search_path=public, pg_temp/), open: false, app });
    }
  });

  test('owns its functions and nothing else, and nobody logs in as it', async () => {
    const rows = await database.asOwner<{ name: string }>(
      `SELECT p.proname AS name FROM pg_shdepend d JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
       WHERE d.deptype = 'o' AND d.refobjid = 'service_directory'::regrole AND d.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       ORDER BY 1`,
    );
    expect(rows.map((row) => row.name)).toEqual(DIRECTORY_FUNCTIONS);
    const [role] = await database.asOwner<{ rolcanlogin: boolean }>(
      `SELECT rolcanlogin FROM pg_roles WHERE rolname = 'service_directory'`,
    );
    expect(role?.rolcanlogin).toBe(false);
  });

  test('may not read a secret, an input or a name that is not its business', async () => {
    const rows = await database.asOwner<{ column: string }>(
      `SELECT c.relname || '.' || a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
         AND has_column_privilege('service_directory', c.oid, a.attnum, 'SELECT') ORDER BY 1`,
    );
    const tables = new Set(rows.map((row) => row.column.split('.')[0]));
    expect([...tables]).toEqual([
      'alert_targets',
      'analytics_days',
      'analytics_facts',
      'analytics_rollups',
      'api_keys',
      'approval_decisions',
      'approvals',
      'attempts',
      'billing_months',
      'cache_entries',
      'chat_clicks',
      'chat_link_codes',
      'daily_usage',
      'database_epochs',
      'dead_letters',
      'effects',
      'environments',
      'event_subscription_secrets',
      'event_subscriptions',
      'events',
      'files',
      'idempotency_claims',
      'impact_limits',
      'impact_reservations',
      'installation',
      'integrations',
      'invitations',
      'invocations',
      'lane_places',
      'lane_queue',
      'late_answers',
      'late_executions',
      'master_key_digests',
      'members',
      'memories',
      'message_attempts',
      'message_content_marks',
      'message_contents',
      'message_deduplications',
      'messages',
      'migrations',
      'monthly_usage',
      'notifications',
      'oauth_artifacts',
      'oauth_clients',
      'oauth_grants',
      'oauth_signing_keys',
      'operation_keys',
      'passkeys',
      'previews',
      'raised_events',
      'rate_windows',
      'run_tags',
      'runs',
      'schedules',
      'session_messages',
      'session_rate_windows',
      'sessions',
      'sign_in_sessions',
      'sign_in_throttles',
      'spans',
      'stored_state',
      'topics',
      'unused_previews',
      'usage_crossings',
      'users',
      'workflow_starts',
      'workspaces',
    ]);
    expect(rows.map((row) => row.column)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/\.(input|result|response_body|error|key_prefix)$/)]),
    );
  });
});
