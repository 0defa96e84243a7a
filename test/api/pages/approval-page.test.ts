import { describe, expect, test } from 'vitest';
import { decisionBy, limitOf, pageOf, type Sample, SAMPLES } from './samples.ts';
import { decoded } from './support.ts';

/** What the page of an approval says, without a stack: it is a function of what is known of the approval. */

const textOf = (sample: Sample): string => decoded(pageOf(sample)).replaceAll(/\s+/g, ' ');
const headingOf = (sample: Sample): string => decoded(/<h1>(.*?)<\/h1>/s.exec(pageOf(sample))?.[1] ?? '');
const money = (amount: number, currency: string): Sample => ({
  impact: [{ dimension: 'money', currency, amount, bound: 'exact' }],
  request: { body: JSON.stringify({ amount, payment: 'pay_1004' }) },
  allowances: [limitOf({ currency, requested: amount, cap: amount * 10, available: amount * 10 })],
});

describe('the page of an approval', () => {
  test.each([
    [60_000, 'usd', '600.00 USD', '6,000.00 USD'],
    [500, 'jpy', '500 JPY', '5,000 JPY'],
    [1_234, 'kwd', '1.234 KWD', '12.340 KWD'],
  ])('says %i minor units of %s as money, everywhere', (amount, currency, text, cap) => {
    const sample = money(amount, currency);
    expect(headingOf(sample)).toBe(`Refund ${text} of payment pay_1004`);
    expect(textOf(sample)).toContain(`${amount} (${text})`);
    expect(textOf(sample)).toContain(`${text} of ${cap} in 2026-11-27`);
    expect(textOf(sample)).not.toMatch(/minor units/i);
  });

  test.each([
    ['stripe', 'Refund 600.00 USD of payment pi_3PqX9ZLkdIwHu7ix'],
    ['email', 'Send an email to ada@example.org and 1 more: Your order is late'],
    ['patch', 'Change the address of a customer'],
    ['delete', 'Run customer.delete'],
    ['free-standing', 'Ship version 2.4'],
  ])('begins with one sentence: %s', (name, heading) => {
    expect(headingOf(SAMPLES[name] ?? {})).toBe(heading);
  });

  test('takes its sentence from what is sent, not from an input that is not sent', () => {
    const input = { payment: 'pay_harmless', amount: 60_000 };
    expect(headingOf({ input })).toBe('Refund 600.00 USD of payment pay_1004');
    expect(textOf({ input })).not.toContain('pay_harmless');
  });

  test('has the URL twice, each name beside its id, and no field twice', () => {
    const page = pageOf({});
    expect(page.split('https://payments.example.com/v1/refunds')).toHaveLength(3);
    expect(textOf({})).toContain('support agent key_agent');
    expect(textOf({})).toContain('Grace Hopper grace@example.com');
    const email = pageOf(SAMPLES['email'] ?? {});
    const [shown = ''] = email.split('<details');
    expect(shown.split('your order arrives')).toHaveLength(2);
    expect(shown.split('Shop &lt;shop@example.com&gt;')).toHaveLength(2);
  });

  test.each([
    [{}, 'In the last 30 days it was asked for 42 times more: 38 approved, 2 denied (5 % denied).'],
    [{ asked: 1, approved: 0, denied: 0 }, 'it was asked for once more: 0 approved, 0 denied.'],
    [{ asked: 0, approved: 0, denied: 0 }, 'Nobody else asked for this action in the last 30 days.'],
  ])('says how often people denied the action lately: %j', (lately, words) => {
    expect(textOf({ lately })).toContain(words);
    expect(textOf(SAMPLES['free-standing'] ?? {})).not.toMatch(/last 30 days/);
  });

  test('links run, invocation and effect to their screens of the console', () => {
    const approval = { runId: 'run_1', invocationId: 'inv_1', effectId: 'eff_1' };
    const page = pageOf({ approval });
    for (const screen of ['runs/run_1', 'invocations/inv_1', 'effects/eff_1']) {
      expect(page).toMatch(new RegExp(`<a href="/console/e/[0-9a-f-]+/${screen}">`));
    }
  });

  test('says “read at the provider” only where something was read', () => {
    expect(textOf({})).not.toMatch(/read at the provider/i);
    expect(textOf(SAMPLES['stripe'] ?? {})).toContain('Read at the provider 2026-11-27 09:30:00 UTC.');
  });

  test.each<[string, Sample, string]>([
    [
      'takes much of a limit',
      { allowances: [limitOf({ cap: 100_000, available: 100_000 })] },
      'Large It takes 60 % of the limit refunds a day.',
    ],
    ['is over one', SAMPLES['delete'] ?? {}, 'Over a limit The limit refunds a day has not enough left'],
    ['deletes', SAMPLES['delete'] ?? {}, 'Irreversible It deletes something.'],
    ['cannot be called back', SAMPLES['email'] ?? {}, 'Irreversible An email that was sent cannot be called back.'],
  ])('marks at its top what %s', (_, sample, mark) => {
    const [top = ''] = pageOf(sample).split('<section>');
    expect(decoded(top).replaceAll(/\s+/g, ' ')).toContain(mark);
    expect(pageOf({})).not.toContain('class="marks"');
  });

  test.each([
    ['under-way', 'Approved, being sent now'],
    ['settled', 'Done: confirmed'],
    ['settled', 'Reference re_1PqX9ZLkdIwHu7ix'],
    ['settled', 'Receipt eff_0352PV5l88O2xammJDdTcD'],
    ['refused', 'Refused: nothing was sent'],
    ['unknown', 'Outcome unknown'],
    ['unknown', 'the connection broke after the request was sent'],
    ['denied', 'Denied'],
    ['denied', 'Not on a Friday.'],
    ['expired', 'Expired'],
    ['invalidated', 'No longer valid'],
    ['invalidated', 'secret payments_key was replaced after the preview'],
  ])('afterwards says what happened: %s, “%s”', (name, words) => {
    const sample = SAMPLES[name] ?? {};
    const text = decoded(pageOf(sample).replaceAll('</dt>', ' </dt>')).replaceAll(/\s+/g, ' ');
    expect(text).toContain(words);
    expect(pageOf(sample)).not.toContain('<button class=');
  });

  test('names those who have decided, and says of an approval that it no longer counts', () => {
    const text = textOf({ approval: { decisions: [decisionBy('ada', { stands: false })] } });
    expect(text).toContain('Approved by Ada Lovelace ada@example.com, 2026-11-27 09:50:00 UTC');
    expect(text).toContain('It no longer counts');
  });
});
