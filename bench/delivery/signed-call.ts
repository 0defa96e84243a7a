import { Deadline } from '../../domain/deadline.ts';
import { signatureHeader } from '../../domain/messages/signing.ts';
import type { Message, WorkerTask } from './side.ts';

/** What an attempt saw. */
export interface Seen {
  status: number;
  body: string;
  latencyMs: number;
}

const TIMEOUT_MS = 30_000;

/** The one call of the other sides: signed as ours is. Throws where the receiver does not answer 2xx, so that the queue tries again. */
export async function sendSigned(task: WorkerTask, messageId: string, message: Message): Promise<Seen> {
  using deadline = new Deadline(TIMEOUT_MS);
  const startedAtMs = performance.now();
  const body = JSON.stringify(message);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const response = await fetch(task.receiverUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatureHeader([task.secret], {
        messageId,
        timestampSeconds,
        environmentId: 'bench',
        body,
      }),
    },
    body,
    signal: deadline.signal,
  });
  const seen = { status: response.status, body: await response.text(), latencyMs: performance.now() - startedAtMs };
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
  return seen;
}
