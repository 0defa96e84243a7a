import { proxyActivities, setCurrentDetails, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { SendEmailInput, SendEmailResult } from '../../temporal/notifications/send-email.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { EMAIL_OPTIONS, onQueue } from '../activity-options.ts';
import { LaneQueue } from '../lane-queue.ts';

/** Sends an e-mail. Each visit decides everything from the e-mail's row; this workflow keeps the time. */
export async function sendEmail(ref: SendEmailInput): Promise<SendEmailResult> {
  const places = new LaneQueue();
  const { sendNotificationEmail } = proxyActivities<Activities>({
    ...EMAIL_OPTIONS,
    ...onQueue('notifications', ref),
    summary: 'sends the e-mail, where it is due',
  });
  for (;;) {
    const step = await places.turn('notifications', () => sendNotificationEmail(ref));
    if (step.next === 'end') {
      setCurrentDetails(step.status.toUpperCase());
      upsertSearchAttributes(searchAttributes({ stage: step.status }));
      return { status: step.status };
    }
    setCurrentDetails(`WAITS: the next attempt at ${new Date(Date.now() + step.delayMs).toISOString()}`);
    await sleep(step.delayMs, { summary: 'the next attempt' });
  }
}
