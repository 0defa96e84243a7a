import { publishableKeySchema } from './schemas.ts';
import type { Variable } from './variable.ts';

/** What a browser needs of the payment provider: docs/billing.md. */
export const PAYMENTS = {
  STRIPE_PUBLISHABLE_KEY: {
    meaning:
      'The publishable key of Stripe (`pk_live_…` or `pk_test_…`), which `GET /api/v2/billing/stripe-config` shows to browsers. A secret key is refused at the start. Nothing is charged until paid plans open.',
    default: null,
    processes: ['api', 'embedded'],
    schema: publishableKeySchema,
  },
} as const satisfies Record<string, Variable>;
