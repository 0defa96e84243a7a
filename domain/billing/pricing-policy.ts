import type { Allowance } from '../plans.ts';
import { OFFERS, PAID_PLANS_OPEN } from './plan-terms.ts';
import { USAGE_UNITS } from './usage-names.ts';

/** Changes with every change of a figure, a meter or a rule below; docs/billing.md lists the versions. */
export const PRICE_LIST_VERSION = '2026-11-27';
const EFFECTIVE_AT = '2026-11-27T00:00:00.000Z';

interface Meter {
  id: Allowance;
  unit: string;
  counts: string;
  doesNotCount: string[];
}

/** What each meter counts. The ids are those of usage items; docs/plans-and-limits.md gives the reasons. */
export const METERS: readonly Meter[] = [
  {
    id: 'executions',
    unit: USAGE_UNITS.executions,
    counts: 'Invocations that are admitted, each once, in the month of its admission.',
    doesNotCount: [
      'Requests that are refused before admission.',
      'Invocations that could not be started.',
      'Previews.',
    ],
  },
  {
    id: 'messages',
    unit: USAGE_UNITS.messages,
    counts: 'Messages that are accepted, each once, whatever number of attempts they need; each delivery of an event.',
    doesNotCount: ['Duplicates within the deduplication window.', 'Attempts.'],
  },
  {
    id: 'egress',
    unit: USAGE_UNITS.egress,
    counts: 'Bytes of the request bodies that were sent and of the response bodies that were read.',
    doesNotCount: [
      'Headers, TLS and framing.',
      'Reads that the service makes on its own.',
      'Calls that were not sent.',
    ],
  },
  {
    id: 'memory_processing',
    unit: USAGE_UNITS.memory_processing,
    counts: 'Memories that are stored or superseded, searches, and ingests: one operation each.',
    doesNotCount: ['Reading, listing and deleting memories.'],
  },
  {
    id: 'notification_emails',
    unit: USAGE_UNITS.notification_emails,
    counts: 'Notification e-mails, one for each recipient.',
    doesNotCount: ['E-mails that an action sends.'],
  },
];

/** The public pricing policy: one value for everybody, from the one table of plans. */
export const PRICING_POLICY = {
  version: PRICE_LIST_VERSION,
  effectiveAt: EFFECTIVE_AT,
  currency: 'usd',
  paidPlansOpen: PAID_PLANS_OPEN,
  plans: OFFERS,
  meters: [...METERS],
  resets: 'first of the month, 00:00 UTC',
  overage: 'refused',
  rounding: 'half up, once per line, to the minor unit',
  corrections: 'next invoice',
};
