import { describe, expect, test } from 'vitest';
import { createAdapters } from '../../../../activities/adapters/index.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { startFakeResend, type ResendFault } from '../../../harness/providers/fake-resend.ts';
import { FAULTS_AFTER_EFFECT, type CommonFault } from '../../../harness/providers/provider-server.ts';
import { callsOf, responseOf, type AdapterCalls } from '../kit.ts';

const resend = await startFakeResend();
const emails = calls(resend.fullKey);

function calls(key: string): AdapterCalls {
  const adapterFor = createAdapters({
    egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
    resendBaseUrl: resend.baseUrl,
  });
  return callsOf(
    adapterFor({ type: 'resend.email', version: '1' }),
    { domain: 'example.com' },
    { RESEND_API_KEY: key },
  );
}

let effects = 0;
const newEffect = (): string => `eff_${++effects}`;
const MAIL: JsonObject = {
  from: 'Ada <ada@example.com>',
  to: ['bob@example.org', 'Eve <eve@example.org>'],
  bcc: 'kay@example.net',
  subject: 'Grüße',
  text: 'Hallo',
};

test('sends one email under the effect id, as it was prepared, and knows it by its id', async () => {
  const effectId = newEffect();
  const result = await emails.dispatch(MAIL, effectId);
  const [email] = resend.emailsOf(effectId);
  expect(email?.email).toEqual(MAIL);
  expect(resend.writes().at(-1)?.body).toBe(emails.prepared(MAIL, effectId).body);
  expect(result).toMatchObject({
    outcome: 'succeeded',
    providerReference: email?.id,
    providerIds: { email: email?.id },
  });
});

describe('what an answer proves', () => {
  test.each<[ResendFault | CommonFault, string]>([
    ['invalid', 'failed'],
    ['unauthorized', 'failed'],
    ['rate_limited', 'failed'],
    ['key_in_use', 'unknown'],
    ['no_id', 'unknown'],
    ['unavailable', 'unknown'],
    ['error_after_effect', 'unknown'],
    ['malformed_reply', 'unknown'],
  ])('%s: %s', async (fault, outcome) => {
    resend.failNext(fault);
    const partialEffect = outcome === 'failed' ? 'none' : 'possible';
    expect(await emails.dispatch(MAIL, newEffect())).toMatchObject({ kind: 'answered', outcome, partialEffect });
  });

  test.each(['lose_reply', 'truncated_reply', 'reset_before_body', 'reset_after_body'] as const)(
    '%s: nothing',
    async (fault) => {
      resend.failNext(fault);
      expect(await emails.dispatch(MAIL, newEffect())).toMatchObject({ kind: 'no_answer' });
    },
  );
});

describe('a replay', () => {
  test.each([
    ...FAULTS_AFTER_EFFECT.filter((fault) => !fault.startsWith('hang')),
    'no_id',
    'reset_after_body',
  ] as const)('after %s answers the id and sends no second email', async (fault) => {
    const effectId = newEffect();
    resend.failNext(fault);
    await emails.dispatch(MAIL, effectId);
    const again = await emails.dispatch(MAIL, effectId, { kind: 'replay' });
    expect(again).toMatchObject({ outcome: 'succeeded', providerReference: resend.emailsOf(effectId)[0]?.id });
    expect(resend.emailsOf(effectId)).toHaveLength(1);
  });

  test.each(['invalid', 'rate_limited', 'unauthorized'] as const)('%s says nothing of the first', async (fault) => {
    const effectId = newEffect();
    resend.failNext('lose_reply');
    await emails.dispatch(MAIL, effectId);
    resend.failNext(fault);
    expect(await emails.dispatch(MAIL, effectId, { kind: 'replay' })).toMatchObject({ outcome: 'unknown' });
  });
});

describe('the read-back', () => {
  test("by the id, from the email's own record", async () => {
    const effectId = newEffect();
    const response = responseOf(await emails.dispatch(MAIL, effectId));
    const read = await emails.readBack(MAIL, effectId, response);
    expect(read).toMatchObject({ kind: 'matched', outcome: 'succeeded' });
    const before = resend.requests.length;
    expect(await emails.readBack(MAIL, effectId)).toMatchObject({ kind: 'unreadable' });
    expect(resend.requests).toHaveLength(before);
  });

  test('of an email that its record says was never sent: failed', async () => {
    const effectId = newEffect();
    resend.failNext('send_failed');
    const response = responseOf(await emails.dispatch(MAIL, effectId));
    expect(await emails.readBack(MAIL, effectId, response)).toMatchObject({ kind: 'matched', outcome: 'failed' });
  });

  test('by a credential that may only send: unreadable', async () => {
    const sending = calls(resend.sendingKey);
    const effectId = newEffect();
    const response = responseOf(await sending.dispatch(MAIL, effectId));
    expect(await sending.readBack(MAIL, effectId, response)).toMatchObject({ kind: 'unreadable' });
  });

  test('that lags, breaks or is turned away says nothing', async () => {
    const effectId = newEffect();
    resend.failNext('lag');
    const response = responseOf(await emails.dispatch(MAIL, effectId));
    for (let reads = 0; reads < 2; reads++) {
      expect(await emails.readBack(MAIL, effectId, response)).toMatchObject({ kind: 'absent' });
    }
    for (const fault of ['unavailable', 'rate_limited', 'malformed_reply', 'reset_after_body'] as const) {
      resend.failReads(fault);
      expect(await emails.readBack(MAIL, effectId, response)).toMatchObject({ kind: 'inconclusive' });
    }
  });
});
