import type { NoPlace } from '../../../domain/in-flight.ts';
import type { EmailRef, EmailStep } from '../../../domain/notifications/emails.ts';
import { ENVIRONMENT, inTurn, NO_PLACE, type Scenario } from '../../replay/scenario.ts';

const later: EmailStep = { next: 'wait', delayMs: 60_000 };

/** The visits of the e-mail answer these steps. */
function sending(what: string, ...steps: [EmailStep | NoPlace, ...(EmailStep | NoPlace)[]]): Scenario {
  const ref: EmailRef = { emailId: 'eml_0000000000000000000001', ...ENVIRONMENT };
  return {
    name: `sendEmail/${what}.v1`,
    workflow: 'sendEmail',
    workflowId: `email/${ref.emailId}`,
    args: [ref],
    activities: { sendNotificationEmail: inTurn(...steps) },
    server: 'time-skipping',
  };
}

export const scenarios: readonly Scenario[] = [
  sending('sent', { next: 'end', status: 'sent' }),
  sending('later', later, { next: 'wait', delayMs: 300_000 }, { next: 'end', status: 'sent' }),
  sending('queued', NO_PLACE, NO_PLACE, { next: 'end', status: 'sent' }),
  sending('unknown', { next: 'end', status: 'unknown' }),
];
