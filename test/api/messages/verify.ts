import { Webhook } from 'standardwebhooks';
import type { Delivered } from './support.ts';

/** What a receiver hands to its library. */
export const signed = ({ headers }: Delivered): Record<string, string> => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});
/** The library parses what it verified; this says whether it did verify. */
export function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    return error instanceof SyntaxError; // verified, and no JSON
  }
}
