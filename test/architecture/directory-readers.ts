/**
 * The only files that query without naming a tenant (`Database.directory`), and why each one must.
 * Such a query sees tenant tables as empty; these files call the functions that db/migrations/directory-functions.ts makes, or `SELECT 1`.
 */
export const DIRECTORY_READERS: Record<string, string> = {
  'db/client.ts': 'defines it',
  'db/refuse-unsuitable-database.ts':
    'asks which migrations the database holds and what the login may do, which belong to no tenant',
  'db/secrets/refuse-other-master-keys.ts': 'keeps digests of the master keys, which belong to no tenant',
  'db/api-keys/directory.ts': 'finds the environment that a key belongs to',
  'db/oauth/artifacts.ts': 'finds codes and tokens by their hash before anybody is known',
  'db/oauth/clients.ts': 'keeps apps that registered themselves, which belong to no workspace',
  'db/oauth/grants.ts': 'finds the environment that a grant belongs to',
  'db/oauth/signing-keys.ts': 'keeps the keys of the installation',
  'db/oauth/expired.ts': 'lists and deletes what is past its time, in every environment',
  'db/auth/directory.ts': 'finds the session of a token, before its user is known',
  'db/auth/throttle.ts': 'counts failed sign-ins of accounts and addresses, which belong to no workspace',
  'db/users/users.ts': 'finds a user by e-mail address, before anyone is signed in',
  'db/passkeys/passkeys.ts': 'finds whose a passkey is, before anyone is signed in',
  'db/members/invitations.ts': 'finds the workspace that an invitation token belongs to',
  'db/environments/directory.ts': 'lists every environment, for commands that then work on each inside withEnvironment',
  'db/attempts/directory.ts':
    'lists ids of invocations that have an answer on record and are not settled, in every environment',
  'bench/http/side.ts': 'is the bare route that the service is compared with: the query without a tenant',
  'db/in-flight/directory.ts': 'grants free places, and lists and deletes expired ones, in every workspace',
  'db/idempotency/directory.ts': 'lists and deletes what is past its time, in every environment',
  'db/plans/rate-limiter.ts': 'counts requests before any transaction names a tenant',
  'db/billing/directory.ts': 'lists open transactions, and what is due to close or to be told, in every workspace',
  'db/plans/directory.ts': 'sums up counts of every workspace',
  'db/maintenance/claim-workflow-starts.ts': 'claims the starts of workflows that are due, in every environment',
  'db/maintenance/sweep-positions.ts': 'keeps how far the sweep of the whole installation came',
  'db/plans/expensive-work.ts': 'the switch is the whole installation’s',
  'db/dead-letters/directory.ts': 'lists idle jobs and deletes what is past the time it is kept, in every environment',
  'db/memory/directory.ts': 'lists memories past their time, and jobs that nobody works on, in every environment',
  'db/events/directory.ts':
    'lists events that nobody relayed or fanned out, and deletes old ones, in every environment',
  'db/integrations/directory.ts':
    'finds the environment that a request of a chat is for, and deletes what is past its time',
  'db/analytics/directory.ts': 'counts, and makes and drops partitions, for every environment',
  'db/analytics/verification.ts': 'compares rollups of any environment, which the application cannot write',
  'db/messages/directory.ts':
    'lists environments with due messages, and deletes what had its time, in every environment',
  'db/files/directory.ts': 'lists ids of files whose upload or removal may have lost its process, in every environment',
  'db/notifications/directory.ts': 'lists overdue e-mails, and deletes old notifications, in every environment',
  'db/runs/directory.ts':
    'lists invocations of cancelled runs that still wait, and keeps partitions, in every environment',
  'db/cache/directory.ts': 'deletes what is past its time, in every environment',
  'db/sessions/directory.ts': 'lists and deletes what is past its time, in every environment',
  'db/previews/directory.ts': 'lists and deletes what is past the time it is kept, in every environment',
  'db/approvals/directory.ts': 'lists and deletes approvals whose workflow or time is over, in every environment',
  'db/metrics/installation-figures.ts': 'counts what every environment has, for those who operate the service',
};
