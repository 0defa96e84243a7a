import type { Knex } from 'knex';
import * as workspaces from './0001-workspaces.ts';
import * as people from './0002-people.ts';
import * as apiKeys from './0003-api-keys.ts';
import * as heldCredentials from './0004-held-credentials.ts';
import * as vault from './0005-vault.ts';
import * as actions from './0006-actions.ts';
import * as invocations from './0007-invocations.ts';
import * as effects from './0008-effects.ts';
import * as previews from './0009-previews.ts';
import * as approvalPolicies from './0010-approval-policies.ts';
import * as approvals from './0011-approvals.ts';
import * as retention from './0012-retention.ts';
import * as reconciliation from './0013-reconciliation.ts';
import * as receipts from './0014-receipts.ts';
import * as auditAndHalt from './0015-audit-and-halt.ts';
import * as idempotency from './0016-idempotency.ts';
import * as plansAndLimits from './0017-plans-and-limits.ts';
import * as messages from './0018-messages.ts';
import * as impactLimits from './0019-impact-limits.ts';
import * as budgets from './0020-budgets.ts';
import * as lanePlaces from './0021-lane-places.ts';
import * as shortenedValues from './0022-shortened-values.ts';
import * as urlGroups from './0023-url-groups.ts';
import * as deadLetters from './0024-dead-letters.ts';
import * as schedules from './0025-schedules.ts';
import * as lanes from './0026-lanes.ts';
import * as events from './0027-events.ts';
import * as notifications from './0028-notifications.ts';
import * as integrations from './0029-integrations.ts';
import * as sessions from './0030-sessions.ts';
import * as eventDeliveries from './0031-event-deliveries.ts';
import * as oauth from './0032-oauth.ts';
import * as runs from './0033-runs.ts';
import * as memory from './0034-memory.ts';
import * as files from './0035-files.ts';
import * as cache from './0036-cache.ts';
import * as attachedFiles from './0037-attached-files.ts';
import * as memorySearch from './0038-memory-search.ts';
import * as storedState from './0039-stored-state.ts';
import * as billing from './0040-billing.ts';
import * as analytics from './0041-analytics.ts';
import * as invoices from './0042-invoices.ts';
import * as workflowStarts from './0043-workflow-starts.ts';
import * as metrics from './0044-metrics.ts';
import * as passkeys from './0045-passkeys.ts';
import * as databaseEpochs from './0046-database-epochs.ts';
import * as traceContext from './0047-trace-context.ts';
import * as passkeySignIn from './0048-passkey-sign-in.ts';
import * as archive from './0049-archive.ts';

export interface Migration {
  /** Readable and permanent: the `migrations` table stores it. */
  name: string;
  up(knex: Knex): Promise<void>;
}

/** In the order in which they run. Append only: a migration that was released is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  workspaces,
  people,
  apiKeys,
  heldCredentials,
  vault,
  actions,
  invocations,
  effects,
  previews,
  approvalPolicies,
  approvals,
  retention,
  reconciliation,
  receipts,
  auditAndHalt,
  idempotency,
  plansAndLimits,
  messages,
  impactLimits,
  budgets,
  lanePlaces,
  shortenedValues,
  urlGroups,
  deadLetters,
  schedules,
  lanes,
  events,
  notifications,
  integrations,
  sessions,
  eventDeliveries,
  oauth,
  runs,
  memory,
  files,
  cache,
  attachedFiles,
  memorySearch,
  storedState,
  billing,
  analytics,
  invoices,
  workflowStarts,
  metrics,
  passkeys,
  databaseEpochs,
  traceContext,
  passkeySignIn,
  archive,
];
