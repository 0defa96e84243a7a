/** What the audit log records, by area. docs/reference/audit-actions.md is generated from it (`npm run openapi`). */
export const AUDIT_ACTIONS = {
  Environments: {
    'environment.created': 'an environment is made',
    'environment.updated': 'its name or its settings change',
    'environment.halted': 'nothing more is dispatched there',
    'environment.resumed': 'the halt ends',
  },
  Secrets: {
    'secret.created': 'a secret gets its first value',
    'secret.rotated': 'it gets a new value',
    'secret.deleted': 'it is deleted',
  },
  Actions: {
    'action.created': 'an action is made',
    'action.updated': 'its name, its description or its definition changes',
    'action.archived': 'it is archived',
    'actions.imported': 'a document is imported; the entry counts its actions',
  },
  'Effects and invocations': {
    'effect.noted': 'a note is added to an effect',
    'effect.reconciliation_requested': 'a person or a key asks the provider for the outcome now',
    'effect.replayed': 'an effect is replayed',
    'effect.resolved': 'a person says how it ended',
    'invocation.resolved': 'the same, by way of its invocation',
  },
  'Approval policies': {
    'approval_policy.created': 'a policy is made',
    'approval_policy.updated': 'it gets a new version or another name',
    'approval_policy.deleted': 'it is deleted',
    'approval_policy.applied': 'a plan is applied',
  },
  Approvals: {
    'approval.opened': 'an approval is asked for by itself, without an invocation',
    'approval.approved': 'a person or a key approves',
    'approval.denied': 'a person or a key denies',
    'approval.expired': 'nobody decided in time',
    'approval.cancelled': 'what it was for was cancelled',
    'approval.invalidated': 'what was approved is no longer what would be sent',
  },
  'Impact limits': {
    'impact_limit.created': 'a limit is made',
    'impact_limit.updated': 'its cap, its period or its scope changes',
    'impact_limit.archived': 'it is archived',
  },
  Budgets: {
    'budget.created': 'an API key gets a budget',
    'budget.replaced': 'its caps change',
    'budget.deleted': 'it is removed',
  },
  Billing: {
    'billing.budget_changed': 'the alert target of the workspace or its thresholds change',
    'billing.upgrade_requested': 'an admin asks for another plan; the entry says how it was answered',
  },
  Runs: {
    'run.cancelled': 'a run is cancelled, and what of it waits is withdrawn',
  },
  Sessions: {
    'session.deleted': 'a session is deleted with its messages',
    'session.cleared': 'its messages are deleted',
    'session.message_removed': 'its newest message is removed',
  },
  'Flow control': {
    'flow_control_key.created': 'a key is made by hand',
    'flow_control_key.updated': 'its limits change',
    'flow_control_key.deleted': 'it is deleted',
    'flow_control_key.paused': 'its messages are held',
    'flow_control_key.resumed': 'they are let go',
    'flow_control_key.pinned': 'its limits are fixed, whatever publishers say',
    'flow_control_key.unpinned': 'publishers set its limits again',
    'flow_control_key.rate_reset': 'its window begins again',
  },
  Messages: {
    'message.cancelled': 'a message is cancelled',
  },
  'Dead letters': {
    'dead_letter.retried': 'a failed message is published again',
    'dead_letter.deleted': 'it is deleted',
    'dead_letters.retried': 'a job retries all that a filter finds',
    'dead_letters.cleared': 'a job deletes all that a filter finds',
    'dead_letters.job_cancelled': 'such a job is stopped',
  },
  'URL groups': {
    'url_group.created': 'a group is made',
    'url_group.updated': 'its name changes',
    'url_group.deleted': 'it is deleted',
    'url_group.endpoint_added': 'an endpoint joins it',
    'url_group.endpoint_removed': 'an endpoint leaves it',
  },
  Schedules: {
    'schedule.created': 'a schedule is made',
    'schedule.updated': 'it changes',
    'schedule.paused': 'it stops to fire',
    'schedule.resumed': 'it fires again',
    'schedule.fired': 'a person or a key fires it by hand',
    'schedule.deleted': 'it is deleted',
  },
  Events: {
    'topic.created': 'a topic is made',
    'topic.updated': 'its name or its description changes',
    'topic.deleted': 'it is deleted, with its subscriptions and events',
    'subscription.created': 'a subscription is made',
    'subscription.updated': 'it changes',
    'subscription.deleted': 'it is deleted',
    'subscription.secret_rotated': 'it gets a new signing secret',
    'subscription.disabled': 'the service disables it, because it kept failing',
    'subscription.recovered': 'somebody asks for a recovery of what failed for it',
    'subscription.recovery_cancelled': 'a recovery is cancelled',
  },
  Memory: {
    'memory_collection.created': 'a collection is made',
    'memory_collection.updated': 'its name or its description changes',
    'memory_collection.deleted': 'it is deleted, with its memories',
    'memory.deleted': 'a memory is deleted, with its history and what was derived from it',
    'memories.forgotten': 'what a filter finds is deleted; the entry has the filter',
  },
  Cache: {
    'cache_entry.replaced': 'a cached answer that had not expired gives way to another one for the same prompt',
    'cache_entry.deleted': 'a cached answer is deleted',
    'cache.flushed': 'cached answers are flushed; the entry has the filter',
  },
  Files: {
    'file.uploaded': 'a file is uploaded directly',
    'file.presigned': 'somebody may upload a file',
    'file.confirmed': 'what was uploaded is what was promised',
    'file.deleted': 'it is deleted',
  },
  Integrations: {
    'integration.connected': 'a chat system is connected',
    'integration.reconnected': 'it gets other credentials',
    'integration.channel_changed': 'it posts to another channel',
    'integration.toggled': 'it is switched on or off',
    'chat_user.linked': 'a member links their account of a chat system',
    'chat_user.unlinked': 'the link is removed',
  },
  Notifications: {
    'notification_preferences.updated': 'the alert webhook or the e-mail recipients of the workspace change',
    'notification_preferences.webhook_tested': 'a test alert is sent',
  },
  Members: {
    'member.invited': 'somebody is invited',
    'member.joined': 'they accept',
    'member.role_changed': 'a member gets another role',
    'member.removed': 'a member is removed',
  },
  'API keys': {
    'api_key.created': 'a key is made',
    'api_key.deleted': 'it is revoked',
  },
  'Connected apps': {
    'app.connected': 'a member lets an app act for them in an environment',
    'app.disconnected': 'it is over: the member or the app ended it, or a used refresh token was presented again',
  },
  Accounts: {
    'session.started': 'a member signs in',
    'session.ended': 'a member signs out, or a sign-in from the same browser replaces the session',
    'session.refused': 'a password was wrong',
    'session.confirmed': 'a member shows a passkey, uses a recovery code, or gives the password once more',
    'user.password_changed': 'a member changes their password',
    'passkey.enrolled': 'a member enrols a passkey',
    'passkey.renamed': 'a member renames a passkey',
    'passkey.removed': 'a member removes a passkey',
    'passkey.refused': 'the answer of an authenticator was wrong; the entry says why',
    'recovery_codes.made': 'a member gets new recovery codes, and the ones before end',
    'recovery_code.refused': 'a recovery code was wrong, or was used before',
  },
  Workspaces: {
    'signing_key.rotated': 'the workspace gets a new signing key',
    'workspace.plan_changed': 'an operator gives it another plan',
  },
} as const satisfies Record<string, Record<`${string}.${string}`, string>>;

type ActionOf<Area> = Area extends unknown ? keyof Area & string : never;

/** `<what>.<what happened to it>`. */
export type AuditAction = ActionOf<(typeof AUDIT_ACTIONS)[keyof typeof AUDIT_ACTIONS]>;
