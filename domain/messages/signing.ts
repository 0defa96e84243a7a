import { createHmac, randomBytes } from 'node:crypto';

/**
 * Signatures of deliveries. The form: docs/messages.md, "What is sent". Source: the Standard Webhooks specification, whose
 * libraries verify v1.
 */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** Tells two keys apart in a listing; the rest of the secret keeps more than 200 bits. */
const SHOWN_CHARACTERS = SECRET_PREFIX.length + 4;

export interface SignedDelivery {
  messageId: string;
  timestampSeconds: number;
  environmentId: string;
  /** The exact bytes that are sent, as UTF-8. */
  body: string;
}

export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export function shownSecretPrefix(secret: string): string {
  return secret.slice(0, SHOWN_CHARACTERS);
}

/** The value of `webhook-signature`: v1 and v2 under each secret, the newest first. */
export function signatureHeader(secrets: readonly string[], delivery: SignedDelivery): string {
  const { messageId, timestampSeconds, environmentId, body } = delivery;
  return secrets
    .flatMap((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      const sign = (text: string): string => createHmac('sha256', key).update(text, 'utf8').digest('base64');
      return [
        `v1,${sign(`${messageId}.${timestampSeconds}.${body}`)}`,
        `v2,${sign(`service-delivery-v2.${timestampSeconds}.${environmentId}.${body}`)}`,
      ];
    })
    .join(' ');
}
