import { z } from 'zod';
import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import type { DeclaredImpact, SettledImpact } from '../impact.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusals.ts';
import type { PreviewBlock } from './preview-block.ts';
import type {
  AdapterDescriptor,
  Preparation,
  PreparationInput,
  PreparedRequest,
  ProviderResponse,
} from './adapter-descriptor.ts';
import { PROVIDER_ORIGINS } from './provider-origins.ts';
import {
  inputIssues,
  issuesOfVerify,
  parseConfigWith,
  secretNameSchema,
  storedConfig,
  withBearer,
} from './provider-request.ts';
import { USER_AGENT } from '../product.ts';
import { readRefund } from './stripe-refund-judgement.ts';

/** `stripe.refund`: a refund of a payment intent. See docs/adapters/stripe-refund.md. */

const STRIPE_ORIGIN = PROVIDER_ORIGINS.stripe;
/** The API version of the pinned SDK. The adapter passes it to the SDK, whose types accept no other. */
export const STRIPE_API_VERSION = '2026-10-28.endive';
/** How long Stripe keeps the reply of a key, at least. */
export const STRIPE_KEY_WINDOW_SECONDS = 86_400;

const configSchema = z.strictObject({
  mode: z.enum(['live', 'test']),
  secret: secretNameSchema,
});

export type StripeMode = z.infer<typeof configSchema>['mode'];

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  required: ['payment_intent', 'amount'],
  properties: {
    payment_intent: { type: 'string', pattern: '^pi_[A-Za-z0-9_]{1,250}$' },
    amount: {
      type: 'integer',
      minimum: 1,
      maximum: 99_999_999_999,
      description: "In the minor units of the payment intent's currency: 1250 is 12.50 usd, and 1250 jpy.",
    },
    reason: { enum: ['duplicate', 'fraudulent', 'requested_by_customer'] },
  },
  additionalProperties: false,
};

export interface StripeRefundInput {
  payment_intent: string;
  amount: number;
  reason?: 'duplicate' | 'fraudulent' | 'requested_by_customer';
}

const CAPABILITIES: AdapterCapabilities = {
  idempotent: true,
  idempotencyWindowSeconds: STRIPE_KEY_WINDOW_SECONDS,
  lookup: 'by_key',
  replay: true,
  preview: true,
  // A refund that succeeded can fail days later: the money comes back, and the effect's outcome moves once.
  reversible: true,
};

export const stripeRefundDescriptor: AdapterDescriptor = {
  type: 'stripe.refund',
  version: '1',
  capabilitiesFor: () => CAPABILITIES,
  parseConfig: (config) => parseConfigWith(configSchema, config),
  secretNames: (definition) => [stripeConfigOf(definition).secret],
  prepare,
  readsBack: () => true,
  inspects: true,
  writes: () => true,
  alwaysGoverned: true,
  inputSchema: INPUT_SCHEMA,
  definitionIssues: issuesOfVerify,
  impactDimensions: ['money'],
  impactOf: refundImpact,
  observedImpact: refundObserved,
  previewBlocks,
};

export function stripeConfigOf(definition: ActionDefinition): { mode: StripeMode; secret: string } {
  return storedConfig(configSchema, definition);
}

function prepare({ definition, input, identity, secrets }: PreparationInput): Preparation {
  const { mode, secret } = stripeConfigOf(definition);
  const issues = inputIssues(INPUT_SCHEMA, input);
  if (issues.length > 0) return { kind: 'invalid', issues };
  const refund = input as unknown as StripeRefundInput;
  return withBearer({
    secretName: secret,
    secrets,
    target: { provider: 'stripe', host: new URL(STRIPE_ORIGIN).host, mode, paymentIntent: refund.payment_intent },
    build: (authorization) => refundRequest(refund, identity.effectId, authorization),
    checkToken: (token) => modeMismatch(mode, token),
  });
}

/** The same bytes that Stripe's SDK makes of these parameters; the dispatch refuses if they differ. */
function refundRequest(refund: StripeRefundInput, effectId: string, authorization: string): PreparedRequest {
  const { payment_intent, amount, reason } = refund;
  const form = [
    ['payment_intent', payment_intent],
    ['amount', String(amount)],
    ...(reason === undefined ? [] : [['reason', reason]]),
    ['metadata[effect_id]', encodeURIComponent(effectId)],
  ];
  return {
    method: 'POST',
    url: `${STRIPE_ORIGIN}/v1/refunds`,
    headers: {
      Accept: 'application/json',
      Authorization: authorization,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Idempotency-Key': effectId,
      'Stripe-Version': STRIPE_API_VERSION,
      'User-Agent': USER_AGENT,
    },
    // The other values hold only characters that a form does not encode, and Stripe accepts unencoded brackets.
    body: form.map((pair) => pair.join('=')).join('&'),
    bodyEncoding: 'utf8',
  };
}

/** Standard and restricted keys name their mode in their prefix. A key without such a prefix has neither mode. */
export function modeMismatch(mode: StripeMode, credential: string): Refusal | null {
  const [, found] = /^(?:sk|rk)_(live|test)_/.exec(credential) ?? [];
  if (found === mode) return null;
  const message =
    found === undefined
      ? `the credential is no secret or restricted key of Stripe (sk_${mode}_… or rk_${mode}_…)`
      : `the action is of mode ${mode} and the credential of mode ${found}`;
  return { code: 'mode_mismatch', message };
}

/** Money in the payment intent's currency by an inspection, else the declared one; without either, no bound. */
function refundImpact(definition: ActionDefinition, input: JsonObject, inspected: JsonObject | null): DeclaredImpact {
  const declared = [
    ...new Set(definition.impact.flatMap(({ currency }) => (currency === undefined ? [] : [currency]))),
  ];
  const read = inspected?.['currency'];
  const [currency = declared[0], ...others] = typeof read === 'string' ? [read] : declared;
  if (currency === undefined) {
    const message = 'the impact in money has no bound: the currency of the payment intent could not be read';
    return { ok: false, refusal: { code: 'impact_unbounded', message } };
  }
  const other = [...others, ...declared].find((candidate) => candidate !== currency);
  if (other !== undefined) {
    const message = `the action declares money in ${other}, and the payment intent is in ${currency}`;
    return { ok: false, refusal: { code: 'currency_mismatch', message, details: { currency: other } } };
  }
  const { amount } = input as unknown as StripeRefundInput;
  return { ok: true, quantities: [{ dimension: 'money', currency, amount, bound: 'exact' }] };
}

/** A declaration may set a higher bound than the requested amount. Stripe states the refunded one. */
function refundObserved(_definition: ActionDefinition, { body }: ProviderResponse): SettledImpact {
  const refund = readRefund(body);
  return refund === null ? [] : [{ dimension: 'money', currency: refund.currency, amount: refund.amount }];
}

function previewBlocks(definition: ActionDefinition, input: JsonObject): PreviewBlock[] {
  const { payment_intent, reason } = input as unknown as StripeRefundInput;
  const { mode } = stripeConfigOf(definition);
  const fields = [
    { label: 'Payment intent', value: payment_intent },
    { label: 'Reason', value: reason ?? 'none given' },
    { label: 'Mode', value: mode },
  ];
  return [
    { type: 'fields', title: 'Refund', fields },
    {
      type: 'limitations',
      title: 'What to know of a refund',
      items: [
        { kind: 'irreversible', text: 'A refund that has succeeded cannot be taken back.' },
        {
          kind: 'guarantee',
          text: 'Stripe carries it out at most once: the effect id is its idempotency key, and a replay is offered for 24 hours.',
        },
        { kind: 'freshness', text: 'A refund that succeeded may still fail days later; the money then comes back.' },
      ],
    },
  ];
}
