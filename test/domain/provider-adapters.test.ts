import { describe, expect, it, test } from 'vitest';
import type { ActionDefinition } from '../../domain/actions.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import type { AdapterDescriptor } from '../../domain/adapters/adapter-descriptor.ts';
import { ADAPTER_DESCRIPTORS } from '../../domain/adapters/index.ts';
import { resendEmailDescriptor } from '../../domain/adapters/resend-email.ts';
import { modeMismatch, stripeRefundDescriptor } from '../../domain/adapters/stripe-refund.ts';
import type { JsonObject } from '../../domain/json.ts';
import { checkSchema } from '../../domain/json-schema/json-schema.ts';
import { cutBlock } from '../../domain/previews/observation.ts';
import { previewBlockSchema } from '../../domain/adapters/preview-block.ts';
import { IDENTITY } from './http-request-fixtures.ts';

function definitionOf(
  descriptor: AdapterDescriptor,
  config: JsonObject,
  impact: ActionDefinition['impact'] = [],
): ActionDefinition {
  const parsed = descriptor.parseConfig(config);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return {
    adapter: { type: descriptor.type, version: descriptor.version, config: parsed.config },
    inputSchema: descriptor.inputSchema ?? {},
    outputSchema: null,
    governed: true,
    impact,
    verify: null,
    approval: { required: false, tag: null },
    timeoutMs: 5_000,
  };
}

const STRIPE = { mode: 'test', secret: 'STRIPE_KEY' };
const MAIL: JsonObject = { from: 'ada@example.com', to: 'bob@example.org', subject: 'Hi', text: 'Hello' };

const prepare = (
  descriptor: AdapterDescriptor,
  config: JsonObject,
  input: JsonObject,
  secrets?: Record<string, string>,
) =>
  descriptor.prepare({
    definition: definitionOf(descriptor, config),
    input,
    identity: IDENTITY,
    ...(secrets === undefined ? {} : { secrets: new Map(Object.entries(secrets)) }),
  });

describe.each(ADAPTER_DESCRIPTORS.filter(({ inputSchema }) => inputSchema !== undefined))('$type', (descriptor) => {
  it('brings an input schema that an action may have', () => {
    expect(checkSchema(descriptor.inputSchema ?? {})).toEqual([]);
  });
});

describe('stripe.refund', () => {
  it('makes the request that its provider documents, with the effect id as key and in the metadata', () => {
    const input = { payment_intent: 'pi_1', amount: 1_250, reason: 'duplicate' };
    const prepared = prepare(stripeRefundDescriptor, STRIPE, input);
    expect(prepared).toMatchObject({
      kind: 'ready',
      target: { provider: 'stripe', host: 'api.stripe.com', mode: 'test', paymentIntent: 'pi_1' },
      secretNames: ['STRIPE_KEY'],
      request: {
        method: 'POST',
        url: 'https://api.stripe.com/v1/refunds',
        body: 'payment_intent=pi_1&amount=1250&reason=duplicate&metadata[effect_id]=eff_1',
        headers: { Authorization: 'Bearer {{secret:STRIPE_KEY}}', 'Idempotency-Key': 'eff_1' },
      },
    });
  });

  test.each([
    {},
    { payment_intent: 'pi_1' },
    { payment_intent: 'pi_1', amount: 0 },
    { payment_intent: 'pi_1', amount: 1.5 },
    { payment_intent: 'pi_1', amount: '100' },
    { payment_intent: 'pi_1&amount=9', amount: 1 },
    { payment_intent: 'ch_1', amount: 1 },
    { payment_intent: 'pi_1', amount: 1, reason: 'other' },
    { payment_intent: 'pi_1', amount: 1, reverse_transfer: true },
  ])('takes no %j', (input) => {
    expect(prepare(stripeRefundDescriptor, STRIPE, input)).toMatchObject({ kind: 'invalid' });
  });

  test.each([
    ['live', 'sk_live_1', null],
    ['live', 'rk_live_1', null],
    ['test', 'sk_test_1', null],
    ['test', 'rk_test_1', null],
    ['live', 'sk_test_1', 'mode_mismatch'],
    ['test', 'rk_live_1', 'mode_mismatch'],
    ['test', 'pk_test_1', 'mode_mismatch'],
    ['live', ' sk_live_1', 'mode_mismatch'],
    ['live', '', 'mode_mismatch'],
  ] as const)('mode %s with %s: %s', (mode, credential, code) => {
    expect(modeMismatch(mode, credential)?.code ?? null).toBe(code);
  });

  it('shows no credential in what it refuses', () => {
    const input = { payment_intent: 'pi_1', amount: 1 };
    const refused = prepare(stripeRefundDescriptor, STRIPE, input, { STRIPE_KEY: 'sk_live_secret' });
    expect(refused).toMatchObject({ kind: 'refused', refusal: { code: 'mode_mismatch' } });
    expect(JSON.stringify(refused)).not.toContain('sk_live_secret');
    const none = prepare(stripeRefundDescriptor, STRIPE, input, {});
    expect(none).toMatchObject({ kind: 'refused', refusal: { code: 'secret_missing' } });
  });

  const input = { payment_intent: 'pi_1', amount: 1_000 };
  const money = (currency: string, amount: number | string): ActionDefinition['impact'][number] => ({
    dimension: 'money',
    currency,
    amount: typeof amount === 'number' ? { const: amount } : { path: amount },
    bound: 'exact',
  });
  const used = (impact: ActionDefinition['impact'], inspected: JsonObject | null) => {
    const found = impactOf(
      stripeRefundDescriptor,
      definitionOf(stripeRefundDescriptor, STRIPE, impact),
      input,
      inspected,
    );
    return found.ok ? found.quantities : found.refusal.code;
  };
  const exact = (currency: string, amount: number) => ({ dimension: 'money', currency, amount, bound: 'exact' });

  it('uses money in the currency of the payment', () => {
    expect(used([], { currency: 'eur' })).toEqual([exact('eur', 1_000)]);
    expect(used([money('eur', 'input.amount')], { currency: 'eur' })).toEqual([exact('eur', 1_000)]);
  });

  it('never uses less than it asks for, whatever the action declares; more if it says so', () => {
    expect(used([money('eur', 1)], { currency: 'eur' })).toEqual([exact('eur', 1_000)]);
    expect(used([money('eur', 1_500)], { currency: 'eur' })).toEqual([exact('eur', 1_500)]);
    const both = [money('eur', 1), { dimension: 'refunds', amount: { const: 1 }, bound: 'exact' } as const];
    expect(used(both, { currency: 'eur' })).toEqual([
      exact('eur', 1_000),
      { dimension: 'refunds', amount: 1, bound: 'exact' },
    ]);
  });

  it('is refused where the declared currency is another one', () => {
    expect(used([money('usd', 'input.amount')], { currency: 'eur' })).toBe('currency_mismatch');
    expect(used([money('eur', 1), money('usd', 1)], { currency: 'eur' })).toBe('currency_mismatch');
    expect(used([money('eur', 1), money('usd', 1)], null)).toBe('currency_mismatch');
  });

  it('takes the declared currency where nothing could be read, and has no bound without one', () => {
    expect(used([money('usd', 'input.amount')], null)).toEqual([exact('usd', 1_000)]);
    expect(used([], null)).toBe('impact_unbounded');
    expect(used([], {})).toBe('impact_unbounded');
  });
});

describe('resend.email', () => {
  const CONFIG = { domain: 'example.com' };

  it('counts every recipient of to, cc and bcc', () => {
    const input = { ...MAIL, to: ['a@x.org', 'b@x.org'], cc: 'c@x.org', bcc: ['a@x.org'] };
    expect(impactOf(resendEmailDescriptor, definitionOf(resendEmailDescriptor, CONFIG), input)).toEqual({
      ok: true,
      quantities: [{ dimension: 'emails', amount: 4, bound: 'exact' }],
    });
  });

  test.each<[JsonObject, JsonObject]>([
    [CONFIG, { from: 'ada@example.org' }],
    [CONFIG, { from: 'ada@sub.example.com' }],
    [CONFIG, { from: 'ada@example.com.evil.org' }],
    [CONFIG, { from: 'ada at example.com <ada@evil.org>' }],
    [{ ...CONFIG, fromAddresses: ['bob@example.com'] }, {}],
    [{ ...CONFIG, allowedRecipients: ['*@example.net'] }, {}],
    [{ ...CONFIG, allowedRecipients: ['bob@example.org'] }, { cc: 'eve@example.org' }],
    [{ ...CONFIG, allowedRecipients: ['*@example.org'] }, { bcc: ['Eve <eve@sub.example.org>'] }],
  ])('with %j it sends no %j', (config, input) => {
    const prepared = prepare(resendEmailDescriptor, config, { ...MAIL, ...input });
    expect(prepared).toMatchObject({ kind: 'refused', refusal: { code: 'recipient_not_allowed' } });
  });

  it('sends from its domain and to whom it may, without regard to case', () => {
    const config = { domain: 'Example.com', fromAddresses: ['Ada@example.com'], allowedRecipients: ['*@Example.org'] };
    const input = { ...MAIL, from: 'Ada L. <ADA@EXAMPLE.COM>', to: 'Bob <bob@EXAMPLE.ORG>' };
    expect(prepare(resendEmailDescriptor, config, input)).toMatchObject({ kind: 'ready' });
  });

  test.each<JsonObject>([
    { to: 'bob@example.org, eve@example.org' },
    { to: [] },
    { from: '"ada@example.com" <ada@evil.org>' },
    { to: 'Bob <bob@example.org>, Eve <eve@example.org>' },
    { from: 'ada@example.com\r\nBcc: eve@example.org' },
    { subject: 'Hi\r\nBcc: eve@example.org' },
    { headers: { Bcc: 'eve@example.org' } },
    {
      to: Array.from({ length: 30 }, (_, n) => `a${n}@x.org`),
      cc: Array.from({ length: 30 }, (_, n) => `b${n}@x.org`),
    },
  ])('takes no %j', (input) => {
    expect(prepare(resendEmailDescriptor, CONFIG, { ...MAIL, ...input })).toMatchObject({ kind: 'invalid' });
  });

  it('needs a body, and an address of its domain among the senders', () => {
    const { text: _, ...empty } = MAIL;
    expect(prepare(resendEmailDescriptor, CONFIG, empty)).toMatchObject({ kind: 'invalid' });
    const parsed = resendEmailDescriptor.parseConfig({ ...CONFIG, fromAddresses: ['ada@example.org'] });
    expect(parsed).toMatchObject({ ok: false, issues: [{ path: 'fromAddresses[0]' }] });
  });
});

test.each<[AdapterDescriptor, JsonObject, JsonObject]>([
  [stripeRefundDescriptor, STRIPE, { payment_intent: 'pi_1', amount: 1 }],
  [resendEmailDescriptor, { domain: 'example.com' }, { ...MAIL, html: 'x'.repeat(30_000) }],
])('the preview of $type shows blocks of the known form', (descriptor, config, input) => {
  const blocks = (descriptor.previewBlocks?.(definitionOf(descriptor, config), input) ?? []).map((block) =>
    cutBlock(block),
  );
  expect(blocks.map((block) => previewBlockSchema.strict().safeParse(block).error)).toEqual(
    blocks.map(() => undefined),
  );
  expect(blocks.map(({ type }) => type)).toEqual(expect.arrayContaining(['fields', 'limitations']));
});
