import { createHmac, createPublicKey, verify } from 'node:crypto';
import type { Decision } from '../approvals/approval.ts';
import { isEqualInConstantTime } from '../constant-time.ts';

/**
 * Requests that chat systems sign. Sources: docs.slack.dev, "Verifying requests from Slack"; Discord, "Interactions".
 */
const AGE_SECONDS_MAX = 300;
const TIMESTAMP = /^\d{1,12}$/;

export interface SignedRequest {
  timestamp: string;
  signature: string;
  body: Uint8Array;
  now: Date;
}

/** An old request may be one that somebody recorded. */
export function isRecent({ timestamp, now }: Pick<SignedRequest, 'timestamp' | 'now'>): boolean {
  return TIMESTAMP.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= AGE_SECONDS_MAX;
}

export function isSignedBySlack(signingSecret: string, request: SignedRequest): boolean {
  if (!isRecent(request)) return false;
  const { timestamp, body, signature } = request;
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex');
  return isEqualInConstantTime(`v0=${digest}`, signature);
}

/** What comes before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** `publicKey`: 64 hexadecimal digits, as the application's page shows it. */
export function isSignedByDiscord(publicKey: string, request: SignedRequest): boolean {
  if (!isRecent(request) || !/^[0-9a-f]{128}$/i.test(request.signature)) return false;
  const key = createPublicKey({
    key: Buffer.concat([ED25519_PREFIX, Buffer.from(publicKey, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  const signed = Buffer.concat([Buffer.from(request.timestamp), request.body]);
  return verify(null, signed, key, Buffer.from(request.signature, 'hex'));
}

/** What a button carries: the decision, the approval, and the digest that its message showed. */
export interface ClickedButton {
  decision: Decision;
  approvalId: string;
  bindingDigest: string;
}

const DIGEST_PREFIX = 'sha256:';
const BUTTON = /^(approve|deny):(apr_[0-9A-Za-z]{22}):([0-9a-f]{64})$/;

/** At most 100 characters, which is what Discord takes. */
export function buttonValue({ decision, approvalId, bindingDigest }: ClickedButton): string {
  return `${decision}:${approvalId}:${bindingDigest.slice(DIGEST_PREFIX.length)}`;
}

/** Null for what is no button of ours, such as the link to the page. */
export function parseButton(value: string): ClickedButton | null {
  const [, decision, approvalId, digest] = BUTTON.exec(value) ?? [];
  if (decision === undefined || approvalId === undefined || digest === undefined) return null;
  return { decision: decision as Decision, approvalId, bindingDigest: DIGEST_PREFIX + digest };
}
