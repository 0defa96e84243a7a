import { PRICING_POLICY } from '../../domain/billing/pricing-policy.ts';
import { defineRoute } from '../http/define-route.ts';
import { etagOf } from '../http/replies.ts';
import { pricingPolicySchema } from './schemas.ts';

/** The same for everybody; only a deployment changes it. */
const POLICY = { ...PRICING_POLICY, changesUrl: '/reference' };
const ETAG = etagOf(JSON.stringify(POLICY));
const MAX_AGE_SECONDS = 300;

export const getPricingPolicyRoute = defineRoute({
  of: 'public',
  id: 'billing.pricingPolicy',
  method: 'GET',
  path: '/api/v2/public/pricing-policy',
  summary: 'Get the pricing policy',
  description:
    'Plans with their limits and prices, what each meter counts and does not, and the rules of rounding and correction. It takes ' +
    'no credential. The reply has an `ETag`: with `If-None-Match` an unchanged policy is a 304. Versions: 2026-11-27, the first.',
  response: { 200: pricingPolicySchema },
  headers: { 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`, ETag: ETAG },
  ownsItsTransaction: 'It answers a constant of the process, and reads nothing.',
  audited: 'none: it changes nothing',
  handler: () => Promise.resolve({ status: 200, data: POLICY }),
});
