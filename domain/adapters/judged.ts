import type { PartialEffect } from '../lifecycle.ts';

/** What a provider's answer to a dispatch proves, and the ids that it names. */
export interface Judged {
  outcome: 'succeeded' | 'failed' | 'pending' | 'unknown';
  partialEffect: PartialEffect;
  summary: string;
  providerReference: string | null;
  providerIds: Record<string, string>;
}
