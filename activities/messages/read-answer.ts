import type { SeenResponse } from '../../db/messages/claims.ts';
import {
  type AttemptFailure,
  RESPONSE_READ_BYTES_MAX,
  RESPONSE_STORED_BYTES_MAX,
} from '../../domain/messages/messages.ts';
import { TIMED_OUT } from '../adapters/http-request/dial.ts';
import type { RawResponse } from '../adapters/http-request/exchange.ts';
import { keptHeaders } from '../adapters/http-request/read-response.ts';
import { createRedactor, redactText } from '../adapters/http-request/redaction.ts';
import type { Sent } from '../adapters/http-request/send-request.ts';

/** What one attempt saw. It holds no credential of the message. */
export interface AttemptResult {
  seen: SeenResponse;
  retryAfter: string | null;
  /** Why it did not deliver, where no response came. */
  error: string | null;
  failure: AttemptFailure | null;
}

const STATUS_MIN = 100;
const STATUS_MAX = 599;
export const NOTHING_SEEN: SeenResponse = { status: null, headers: null, body: null };

/** Turns a response into its stored form: the credentials that were sent removed, 8 KiB of the body. */
export async function readAnswer(sent: Sent, secrets: readonly string[]): Promise<AttemptResult> {
  const failed = (error: string, failure: AttemptFailure): AttemptResult => ({
    seen: NOTHING_SEEN,
    retryAfter: null,
    error: redactText(error, secrets),
    failure,
  });
  switch (sent.kind) {
    case 'blocked':
      return failed(`not sent: ${sent.message}`, 'blocked');
    case 'not_sent':
      return failed(`not sent: ${sent.reason}`, failureOf(sent.reason));
    case 'no_answer':
      return failed(`no usable answer: ${sent.reason}`, failureOf(sent.reason));
    case 'response': {
      const { status } = sent.response;
      if (status < STATUS_MIN || status > STATUS_MAX) return failed(`the destination answered ${status}`, 'connection');
      return readResponse(sent.response, secrets);
    }
  }
}

function failureOf(reason: string): AttemptFailure {
  return reason.endsWith(TIMED_OUT) ? 'timeout' : 'connection';
}

async function readResponse(raw: RawResponse, secrets: readonly string[]): Promise<AttemptResult> {
  const redactor = createRedactor(secrets);
  const header = (name: string): string | null => raw.headers.find(([given]) => given === name)?.[1] ?? null;
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  // A compressed body, which was not requested, cannot be searched for credentials.
  const readable = encoding === 'identity' || encoding === '';
  const isCutOff = raw.body.byteLength >= RESPONSE_READ_BYTES_MAX;
  const body = readable ? await redactor.bytes(raw.body, isCutOff) : null;
  return {
    seen: {
      status: raw.status,
      headers: redactor.canSearch ? keptHeaders(raw.headers, redactor) : {},
      body: body && body.subarray(0, RESPONSE_STORED_BYTES_MAX),
    },
    retryAfter: header('retry-after'),
    error: null,
    failure: null,
  };
}
