import type { Knex } from 'knex';
import * as tenancy from './0001-tenancy.ts';
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
import * as inFlightPermits from './0021-in-flight-permits.ts';
import * as shortenedValues from './0022-shortened-values.ts';
import * as urlGroups from './0023-url-groups.ts';
import * as deadLetters from './0024-dead-letters.ts';
import * as schedules from './0025-schedules.ts';
import * as flowControl from './0026-flow-control.ts';
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
import * as memoryIndexes from './0038-memory-indexes.ts';
import * as queuedDeliveries from './0039-queued-deliveries.ts';
import * as morePermits from './0041-more-permits.ts';
import * as spanParts from './0042-span-parts.ts';
import * as memorySearch from './0043-memory-search.ts';
import * as lighterDeliveries from './0044-lighter-deliveries.ts';
import * as runTags from './0045-run-tags.ts';
import * as rangesInTheirTime from './0046-ranges-in-their-time.ts';
import * as missedSlots from './0047-missed-slots.ts';
import * as heldMessages from './0048-held-messages.ts';
import * as bounds from './0049-bounds.ts';
import * as relayInTurn from './0050-relay-in-turn.ts';
import * as unmadeDeliveries from './0051-unmade-deliveries.ts';
import * as cancelBetweenAttempts from './0052-cancel-between-attempts.ts';
import * as boundedLooks from './0054-bounded-looks.ts';
import * as capsOfKnownKinds from './0055-caps-of-known-kinds.ts';
import * as enabledSince from './0056-enabled-since.ts';
import * as unfiredRuns from './0057-unfired-runs.ts';
import * as firingsOfSchedules from './0058-firings-of-schedules.ts';
import * as runsOfDeletedSchedules from './0059-runs-of-deleted-schedules.ts';
import * as tagsOfEarlierRuns from './0060-tags-of-earlier-runs.ts';
import * as oneIndexOfOverdue from './0061-one-index-of-overdue.ts';
import * as deadLettersByTheirEnd from './0062-dead-letters-by-their-end.ts';
import * as pastStops from './0063-past-stops.ts';
import * as sessionsExtendedInTime from './0064-sessions-extended-in-time.ts';
import * as sweepsThatGoOn from './0065-sweeps-that-go-on.ts';
import * as grantsOfUser from './0066-grants-of-user.ts';
import * as permitsByOneLook from './0067-permits-by-one-look.ts';
import * as linksEndAfterCodes from './0068-links-end-after-codes.ts';
import * as expiredChatRows from './0069-expired-chat-rows.ts';
import * as appsThatEnded from './0075-apps-that-ended.ts';

export interface Migration {
  /** Readable and permanent: the `migrations` table stores it. */
  name: string;
  up(knex: Knex): Promise<void>;
}

/** In the order in which they run. Append only: a migration that was released is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  tenancy,
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
  inFlightPermits,
  shortenedValues,
  urlGroups,
  deadLetters,
  schedules,
  flowControl,
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
  memoryIndexes,
  queuedDeliveries,
  morePermits,
  spanParts,
  memorySearch,
  lighterDeliveries,
  runTags,
  rangesInTheirTime,
  missedSlots,
  heldMessages,
  bounds,
  relayInTurn,
  unmadeDeliveries,
  cancelBetweenAttempts,
  boundedLooks,
  capsOfKnownKinds,
  enabledSince,
  unfiredRuns,
  firingsOfSchedules,
  runsOfDeletedSchedules,
  tagsOfEarlierRuns,
  oneIndexOfOverdue,
  deadLettersByTheirEnd,
  pastStops,
  sessionsExtendedInTime,
  sweepsThatGoOn,
  grantsOfUser,
  permitsByOneLook,
  linksEndAfterCodes,
  expiredChatRows,
  appsThatEnded,
];
