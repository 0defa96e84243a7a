import type { EnvironmentTransaction } from '../../db/client.ts';
import { claimEmail, type EmailWork, endEmail, lockEmail, queueAgain } from '../../db/notifications/emails.ts';
import { composeMail } from '../../domain/notifications/compose-mail.ts';
import {
  EMAIL_RETRY_DELAYS_SECONDS,
  type EmailEnd,
  type EmailRef,
  type EmailStep,
} from '../../domain/notifications/emails.ts';
import type { Mailer, MailResult } from '../../domain/notifications/mailer.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { RecordGone } from '../../domain/record-gone.ts';

type Needs = Pick<ActivityDependencies, 'db' | 'logger' | 'mailer' | 'pagesUrl'>;
type Visit = EmailStep | { next: 'send'; work: EmailWork; attempt: number; mailer: Mailer };

/** Sends an e-mail if it is due. The claim commits first, so no attempt is sent twice; a lost one is `unknown`. */
export function sendNotificationEmail(deps: Needs) {
  return async (ref: EmailRef): Promise<EmailStep> => {
    const visit = await deps.db.withEnvironment(ref, (tx) => visitEmail(tx, ref.emailId, deps.mailer));
    if (visit.next !== 'send') return told(deps, ref, visit);
    const result = await visit.mailer.send(composeMail(visit.work, deps.pagesUrl));
    const step = await deps.db.withEnvironment(ref, (tx) => settle(tx, ref.emailId, visit.attempt, result));
    return told(deps, ref, step, result);
  };
}

async function visitEmail(tx: EnvironmentTransaction, emailId: string, mailer: Mailer | null): Promise<Visit> {
  const work = await lockEmail(tx, emailId);
  if (work === null) throw new RecordGone(`e-mail ${emailId} is not there`);
  if (work.status === 'sending') {
    return end(tx, emailId, 'unknown', 'the worker was lost before the end of its attempt was on record');
  }
  if (work.status !== 'queued') return { next: 'end', status: work.status };
  if (mailer === null) return end(tx, emailId, 'failed', 'the service has no mail server (SMTP_ADDRESS)');
  if (work.dueInMs > 0) return { next: 'wait', delayMs: Math.ceil(work.dueInMs) };
  return { next: 'send', work, attempt: await claimEmail(tx, emailId), mailer };
}

/** Records also the late answer of an attempt that was presumed lost: it tells the unknown outcome. */
async function settle(
  tx: EnvironmentTransaction,
  emailId: string,
  attempt: number,
  result: MailResult,
): Promise<EmailStep> {
  const work = await lockEmail(tx, emailId);
  if (work === null) throw new RecordGone(`e-mail ${emailId} is not there`);
  const isLate = work.status === 'unknown' && work.attempts === attempt;
  if (work.status !== 'sending' && !isLate) return after(work);
  if (result.kind === 'accepted') return end(tx, emailId, 'sent', null);
  if (result.kind === 'rejected') return end(tx, emailId, 'failed', result.reason);
  if (result.kind === 'unknown') return isLate ? after(work) : end(tx, emailId, 'unknown', result.reason);
  const delaySeconds = EMAIL_RETRY_DELAYS_SECONDS[attempt - 1];
  if (isLate || delaySeconds === undefined) return end(tx, emailId, 'failed', result.reason);
  const delayMs = delaySeconds * 1_000;
  await queueAgain(tx, emailId, { reason: result.reason, delayMs });
  return { next: 'wait', delayMs };
}

async function end(
  tx: EnvironmentTransaction,
  emailId: string,
  status: EmailEnd,
  reason: string | null,
): Promise<EmailStep> {
  await endEmail(tx, emailId, { status, reason });
  return { next: 'end', status };
}

function after({ status, dueInMs }: EmailWork): EmailStep {
  if (status !== 'queued' && status !== 'sending') return { next: 'end', status };
  return { next: 'wait', delayMs: Math.max(1_000, Math.ceil(dueInMs)) };
}

function told({ logger }: Needs, { emailId }: EmailRef, step: EmailStep, result?: MailResult): EmailStep {
  const reason = result !== undefined && 'reason' in result ? { reason: result.reason } : {};
  if (step.next === 'wait' && result !== undefined)
    logger.info({ emailId, ...reason }, 'an e-mail is tried again later');
  if (step.next === 'end' && step.status !== 'sent') {
    logger.warn({ emailId, status: step.status, ...reason }, 'an e-mail of a notification was not sent for certain');
  }
  return step;
}
