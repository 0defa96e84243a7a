import { z } from 'zod';
import type { PartialEffect } from '../lifecycle.ts';
import type { ProviderResponse } from './adapter-descriptor.ts';

/** What Stripe's answers prove of a refund. The table: docs/adapters/stripe-refund.md, "How the outcome is judged". */

const refundSchema = z.object({
  object: z.literal('refund'),
  id: z.string().min(1).max(255),
  status: z.string().max(100).nullable(),
  amount: z.number(),
  currency: z.string().max(10),
  payment_intent: z.string().max(255).nullable(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type StripeRefund = z.infer<typeof refundSchema>;

const refundPageSchema = z.object({ data: z.array(refundSchema).max(100), has_more: z.boolean() });

const paymentIntentSchema = z.object({
  object: z.literal('payment_intent'),
  id: z.string().max(255),
  amount_received: z.int().min(0),
  currency: z.string().regex(/^[a-z]{3}$/),
  livemode: z.boolean(),
  status: z.string().max(100),
  latest_charge: z.object({ amount_refunded: z.int().min(0) }).nullable(),
});
export type StripePaymentIntent = z.infer<typeof paymentIntentSchema>;

/** Null where the body is nothing of that kind. */
export const readRefund = (body: unknown): StripeRefund | null => refundSchema.safeParse(body).data ?? null;
export const readRefundPage = (body: unknown) => refundPageSchema.safeParse(body).data ?? null;
export const readPaymentIntent = (body: unknown): StripePaymentIntent | null =>
  paymentIntentSchema.safeParse(body).data ?? null;

export type RefundOutcome = 'succeeded' | 'failed' | 'pending' | 'unknown';

export function outcomeOfRefund({ status }: StripeRefund): RefundOutcome {
  switch (status) {
    case 'succeeded':
      return 'succeeded';
    case 'pending':
    case 'requires_action':
      return 'pending';
    case 'failed':
    case 'canceled':
      return 'failed';
    default:
      return 'unknown';
  }
}

export interface RefundJudgement {
  outcome: RefundOutcome;
  partialEffect: PartialEffect;
  summary: string;
  refundId: string | null;
}

const REJECTIONS: readonly number[] = [400, 401, 402, 403, 404, 429];

/** What the reply to `POST /v1/refunds` proves. A replay's failure counts only if Stripe marks it as the kept reply. */
export function judgeRefundReply(
  response: ProviderResponse,
  { effectId, kind }: { effectId: string; kind: 'dispatch' | 'replay' },
): RefundJudgement {
  const { status, body } = response;
  const answered = `Stripe answered ${status}`;
  if (status >= 200 && status < 300) {
    const refund = readRefund(body);
    if (refund === null || refund.metadata?.['effect_id'] !== effectId) {
      return unknown(`${answered} without the refund of this effect`);
    }
    const outcome = outcomeOfRefund(refund);
    const summary = `${answered}: refund ${refund.id} is ${refund.status ?? 'without a status'}`;
    const partialEffect = outcome === 'pending' || outcome === 'unknown' ? 'possible' : 'none';
    return { outcome, partialEffect, summary, refundId: refund.id };
  }
  const { type, code } = errorOf(body);
  const named = code ?? type;
  const summary = named === null ? answered : `${answered} (${named})`;
  // Stripe saw another request under this effect's key. The first one may have had its effect.
  if (type === 'idempotency_error' || !REJECTIONS.includes(status)) return unknown(summary);
  if (kind === 'replay' && response.headers['idempotent-replayed'] !== 'true') {
    return unknown(`${summary}, which says nothing of the request that is replayed`);
  }
  return { outcome: 'failed', partialEffect: 'none', summary, refundId: null };
}

function unknown(summary: string): RefundJudgement {
  return { outcome: 'unknown', partialEffect: 'possible', summary, refundId: null };
}

const errorSchema = z.object({ error: z.object({ type: z.string().max(100), code: z.string().max(100).nullish() }) });

function errorOf(body: unknown): { type: string | null; code: string | null } {
  const parsed = errorSchema.safeParse(body);
  return parsed.success
    ? { type: parsed.data.error.type, code: parsed.data.error.code ?? null }
    : { type: null, code: null };
}
