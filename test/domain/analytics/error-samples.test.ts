import { describe, expect, it } from 'vitest';
import { fingerprintOf, SAMPLE_CHARACTERS_MAX, sampleOf } from '../../../domain/analytics/error-samples.ts';

describe('the sample of an error', () => {
  it.each([
    ['no answer from https://ann:pw@shop.example/hook?token=abc#top', 'no answer from https://shop.example/hook'],
    ['GET https://shop.example?key=1 failed', 'GET https://shop.example failed'],
    ['sent to ann.lee@shop.example', 'sent to [REDACTED]'],
    ['Authorization: Bearer abc.def refused', 'Authorization: [REDACTED] refused'],
    ['{"password":"hunter2","id":7}', '{"password":"[REDACTED]","id":7}'],
    ['sent with Basic dXNlcjpwdw==', 'sent with Basic [REDACTED]'],
    ['the secret payments_key was not found', 'the secret payments_key was not found'],
    ['api_key=short is unknown', 'api_key=[REDACTED] is unknown'],
    ['key sk_live_4eC39HqLyjWDarjtT1zdp7dc is revoked', 'key [REDACTED] is revoked'],
    ['card 4242 4242 4242 4242 was declined', 'card [REDACTED] was declined'],
    ['invocation inv_03524HMPTqBn2n2FLRAhFo was refused', 'invocation inv_03524HMPTqBn2n2FLRAhFo was refused'],
    ['the destination answered 503', 'the destination answered 503'],
    ['two\n  lines', 'two lines'],
  ])('of %j is %j', (message, sample) => {
    expect(sampleOf(message)).toBe(sample);
  });

  it('has at most 300 characters and cuts no character in two', () => {
    const sample = sampleOf('😀 '.repeat(1_000));
    expect(Array.from(sample).length).toBe(SAMPLE_CHARACTERS_MAX);
    expect(sample).not.toMatch(/[\ud800-\udfff]/u);
    expect(sample.endsWith('…')).toBe(true);
  });
});

describe('the fingerprint of an error', () => {
  it('is the same for the same area, code and text, and another one for any other', () => {
    expect(fingerprintOf('delivery', 'timeout', '')).toBe(fingerprintOf('delivery', 'timeout', ''));
    const triples = [
      ['delivery', 'timeout', ''],
      ['dispatch', 'timeout', ''],
      ['delivery', '503', ''],
      ['delivery', '503', 'the destination answered #'],
    ] as const;
    expect(new Set(triples.map(([area, code, message]) => fingerprintOf(area, code, message))).size).toBe(
      triples.length,
    );
    expect(fingerprintOf('delivery', 'timeout', '')).toMatch(/^err_[0-9a-f]{16}$/);
  });
});
