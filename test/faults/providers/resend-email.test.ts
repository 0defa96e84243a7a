import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { effectIn, invoke } from '../../api/invocations/support.ts';
import { RESEND_FAULTS, startFakeResend } from '../../harness/providers/fake-resend.ts';
import { EFFECTS_MIN, runSeeds, type ProviderUnderTest } from './provider-runs.ts';
import { COMMON_FAULTS, startProviderWorld } from './provider-world.ts';

const resend = await startFakeResend();
const { service, createAction, limitOn } = await startProviderWorld(
  { resendBaseUrl: resend.baseUrl },
  { RESEND_API_KEY: resend.fullKey, RESEND_SENDING: resend.sendingKey },
);

const mail = (): JsonObject => ({
  from: 'ada@example.com',
  to: ['bob@example.org'],
  subject: 'Hello',
  text: 'Hello Bob',
});
const action = await createAction('resend.email', { domain: 'example.com' });
const provider: ProviderUnderTest<(typeof RESEND_FAULTS)[number]> = {
  server: resend,
  action,
  limitId: await limitOn(action, { dimension: 'emails' }),
  amount: 1,
  input: mail,
  truthOf(effectId) {
    const [email, ...others] = resend.emailsOf(effectId);
    const state = email?.lastEvent === 'failed' ? 'failed' : 'succeeded';
    return { made: (email === undefined ? 0 : 1) + others.length, state };
  },
  isWriteFor: ({ headers }, effectId) => headers['idempotency-key'] === effectId,
  replays: true,
  takes: true,
};

describe('resend.email', () => {
  test.each([...COMMON_FAULTS, ...RESEND_FAULTS])(
    '%s: at most one email for a key, and nothing is guessed',
    async (fault) => {
      expect(await runSeeds(service, provider, fault)).toBeGreaterThanOrEqual(EFFECTS_MIN);
    },
  );

  test('is confirmed by the record of the email, and failed where that says so', async () => {
    const { invocation } = await invoke(service, provider.action, { input: mail() });
    expect(invocation).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    resend.failNext('send_failed');
    expect((await invoke(service, provider.action, { input: mail() })).invocation).toMatchObject({ grade: 'failed' });
  });

  test('stays acknowledged where the credential may not read', async () => {
    const action = await createAction('resend.email', { domain: 'example.com', secret: 'RESEND_SENDING' });
    const { invocation } = await invoke(service, action, { input: { ...mail(), cc: ['eve@example.org'] } });
    expect(invocation).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    const effect = effectIn(await service.get(`/api/v2/actions/effects/${invocation.effectId}`));
    expect(effect.impact).toEqual([{ dimension: 'emails', amount: 2, bound: 'exact' }]);
  });

  test('without an id a replay finds it out, and sends no second one', async () => {
    resend.failNext('lose_reply');
    const { invocation } = await invoke(service, provider.action, { input: mail() });
    expect(invocation).toMatchObject({ grade: 'unknown' });
    const replayed = await service.post(`/api/v2/actions/effects/${invocation.effectId}/replay`, undefined);
    expect(['acknowledged', 'confirmed'], replayed.text).toContain(effectIn(replayed).grade);
    expect(resend.emailsOf(invocation.effectId ?? '')).toHaveLength(1);
  });

  test('from a sender that is not of its domain: refused, and nothing is sent', async () => {
    const before = resend.writes().length;
    const { invocation } = await invoke(service, provider.action, { input: { ...mail(), from: 'ada@evil.org' } });
    expect(invocation.error).toContain('dispatch refused (recipient_not_allowed)');
    expect(resend.writes()).toHaveLength(before);
  });
});
