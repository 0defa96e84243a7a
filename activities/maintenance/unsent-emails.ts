import { findUnsentEmails } from '../../db/notifications/find-unsent-emails.ts';
import type { EmailRef } from '../../domain/notifications/emails.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Starts the sending of e-mails that are overdue: the process may have died between its commit and its start, or an operator terminated
 * the workflow. One that runs is left alone.
 */
export function unsentEmails(overdueBySeconds = LOST_AFTER_SECONDS): SweepArea<EmailRef, 'sendEmail'> {
  return {
    find: (deps, page) => findUnsentEmails(deps.db, { overdueBySeconds, ...page }),
    idOf: (ref) => ref.emailId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.sendEmail(ref))),
    batchSize: 1,
  };
}
