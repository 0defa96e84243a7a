import { deleteOldApprovals, findOldApprovals } from '../../db/approvals/directory.ts';
import { deleteExpiredThrottles, findExpiredThrottles } from '../../db/auth/throttle.ts';
import type { Database } from '../../db/client.ts';
import { deleteDeletedTopics, deleteOldEvents } from '../../db/events/directory.ts';
import { deleteExpiredClaims, findExpiredClaims } from '../../db/idempotency/directory.ts';
import { deleteExpiredPlaces, findExpiredPlaces } from '../../db/in-flight/directory.ts';
import { deleteExpiredLinkCodes, deleteOldClicks } from '../../db/integrations/directory.ts';
import { deleteExpiredDeduplications, findExpiredDeduplications } from '../../db/messages/directory.ts';
import { deleteOldNotifications, findOldNotifications } from '../../db/notifications/directory.ts';
import {
  deleteEndedGrants,
  deleteExpiredArtifacts,
  deleteUnusedClients,
  findEndedGrants,
  findExpiredArtifacts,
  findUnusedClients,
} from '../../db/oauth/expired.ts';
import { deleteOldPreviews, findOldPreviews } from '../../db/previews/directory.ts';
import { deleteExpiredSessions, findExpiredSessions } from '../../db/sessions/directory.ts';
import type { SweepArea, SweepPage } from './sweep-rows.ts';
import type { SweepStep } from './sweep-steps.ts';
import { untilNone } from './until-none.ts';

function deleting(
  find: (db: Database, page: SweepPage) => Promise<string[]>,
  remove: (db: Database, ids: readonly string[]) => Promise<unknown>,
  batchSize: number,
): SweepArea<string> {
  return {
    find: ({ db }, page) => find(db, page),
    idOf: (id) => id,
    mend: ({ db }, ids) => remove(db, ids),
    batchSize,
  };
}

/** Past their 24 hours. */
export const expiredIdempotencyClaims = deleting(findExpiredClaims, deleteExpiredClaims, 1_000);
export const expiredDeduplications = deleting(findExpiredDeduplications, deleteExpiredDeduplications, 1_000);
/** Places that were never released. They have not counted since they expired. */
export const expiredPlaces = deleting(findExpiredPlaces, deleteExpiredPlaces, 1_000);
/** Nobody may ever sign in from such an address again. */
export const expiredSignInThrottles = deleting(findExpiredThrottles, deleteExpiredThrottles, 1_000);
/** Codes, tokens and authorization requests. */
export const expiredOAuthArtifacts = deleting(findExpiredArtifacts, deleteExpiredArtifacts, 1_000);
/** Apps that registered themselves, as anybody may, and that nobody has connected. */
export const unusedOAuthClients = deleting(findUnusedClients, deleteUnusedClients, 1_000);
/** 90 days after their end. */
export const endedOAuthGrants = deleting(findEndedGrants, deleteEndedGrants, 1_000);
/** Unused previews 30 days after they expired, a chain of refreshed ones from its newest link on. */
export const oldPreviews = deleting(findOldPreviews, deleteOldPreviews, 100);
/** Free-standing approvals 90 days after their end, with their decisions. The audit log keeps its entries. */
export const oldApprovals = deleting(findOldApprovals, deleteOldApprovals, 100);
/** 90 days after they were last counted, with the members' marks. */
export const oldNotifications = deleting(findOldNotifications, deleteOldNotifications, 100);

/** With their messages. The next sweep deletes those that this one does not reach. */
export const expiredSessions: SweepArea<string> = {
  ...deleting(findExpiredSessions, deleteExpiredSessions, 100),
  mend: ({ db }, ids, budget) => untilNone(budget, () => deleteExpiredSessions(db, ids)),
};

type Steps = Readonly<Record<string, SweepStep>>;

/** Events that have had their time, and what belongs to deleted topics and subscriptions. */
export const OLD_EVENT_STEPS: Steps = {
  delete_old: ({ db }, budget) => untilNone(budget, () => deleteOldEvents(db)),
  delete_of_deleted_topics: ({ db }, budget) => untilNone(budget, () => deleteDeletedTopics(db)),
};

/** Clicks that no chat can send again, and link codes that nobody redeemed in time. */
export const EXPIRED_CHAT_STEPS: Steps = {
  delete_clicks: ({ db }, budget) => untilNone(budget, () => deleteOldClicks(db)),
  delete_link_codes: ({ db }, budget) => untilNone(budget, () => deleteExpiredLinkCodes(db)),
};
