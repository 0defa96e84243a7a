import { describe, expect, test } from 'vitest';
import type { Approvers, PolicyVerdict } from '../../../domain/approval-policies/verdict.ts';
import { nextReminderMs, REMINDER_GAP_MS_MIN } from '../../../domain/approvals/reminders.ts';
import { invocationSummary, invocationTitle } from '../../../domain/approvals/summary.ts';
import { isAcceptedApprover, type Principal, stricterNow } from '../../../domain/approvals/terms.ts';

const key = (id: string, keyName = 'ci'): Principal => ({
  type: 'api_key',
  id,
  keyName,
  role: null,
  email: null,
  maker: null,
});
const user = (id: string, role: Principal['role'], email = `${id}@example.test`): Principal => ({
  type: 'user',
  id,
  keyName: null,
  role,
  email,
  maker: null,
});
/** Keys that Ada made, and Ada. */
const ofAda = (id: string): Principal => ({ ...key(id), maker: 'usr_ada' });
const ada = user('usr_ada', 'admin');

describe('who is accepted', () => {
  test.each<[string, Principal, Approvers[], boolean]>([
    ['nobody is named: any key', key('key_1'), [{}], true],
    ['nobody is named: an admin', user('usr_1', 'admin'), [{}], true],
    ['nobody is named: no plain member', user('usr_1', 'member'), [{}], false],
    ['a role: who has it', user('usr_1', 'member'), [{ roles: ['member'] }], true],
    ['a role: not who has more', user('usr_1', 'owner'), [{ roles: ['member'] }], false],
    ['a role: no key', key('key_1'), [{ roles: ['admin'] }], false],
    ['a key by its id', key('key_1'), [{ keys: ['key_1'] }], true],
    ['a key by its name', key('key_1', 'release'), [{ keys: ['release'] }], true],
    ['another key', key('key_2'), [{ keys: ['key_1'] }], false],
    [
      'a user by the address, in any case',
      user('usr_1', 'member', 'ada@Example.test'),
      [{ users: ['ADA@example.test'] }],
      true,
    ],
    ['a user who is named, not the role', user('usr_2', 'admin'), [{ users: ['usr_1'] }], false],
    ['every list must accept', user('usr_1', 'admin'), [{}, { roles: ['owner'] }], false],
    ['every list accepts', user('usr_1', 'owner'), [{}, { roles: ['owner'] }], true],
  ])('%s', (_, principal, lists, accepted) => {
    expect(isAcceptedApprover(principal, lists)).toBe(accepted);
  });
});

describe('policies that are stricter than what was agreed to', () => {
  const requestedBy = { type: 'api_key', id: 'key_agent', maker: 'usr_grace' };
  const NOT_STRICTER = /^not stricter$/;
  const asks = (
    over: Partial<NonNullable<PolicyVerdict['terms']>> = {},
  ): Pick<PolicyVerdict, 'effect' | 'terms' | 'reason'> => ({
    effect: 'require_approval',
    reason: 'asked',
    terms: {
      quorum: 1,
      approvers: {},
      approversOfAll: [{}],
      preventSelf: true,
      expiresInSeconds: 60,
      onExpiry: 'deny',
      ...over,
    },
  });

  test.each<[string, Pick<PolicyVerdict, 'effect' | 'terms' | 'reason'>, Principal[], RegExp]>([
    ['allowed now', { effect: 'allow', terms: null, reason: '' }, [], NOT_STRICTER],
    ['the same', asks(), [key('key_1')], NOT_STRICTER],
    ['denied now', { effect: 'deny', terms: null, reason: 'no' }, [key('key_1')], /deny it now: no/],
    ['one more', asks({ quorum: 2 }), [key('key_1')], /1 of 2/],
    ['others', asks({ approversOfAll: [{ roles: ['owner'] }] }), [key('key_1')], /0 of 1/],
    ['not the requester', asks(), [{ ...key('key_agent'), maker: 'usr_grace' }], /0 of 1/],
    ['not who made the key that requested it', asks(), [user('usr_grace', 'admin')], /0 of 1/],
    ['not another key of theirs', asks(), [{ ...key('key_2'), maker: 'usr_grace' }], /0 of 1/],
    ['one person with two keys and a session', asks({ quorum: 2 }), [ofAda('key_1'), ofAda('key_2'), ada], /1 of 2/],
    ['two persons', asks({ quorum: 2 }), [ofAda('key_1'), key('key_2')], NOT_STRICTER],
    ['the requester may', asks({ preventSelf: false }), [key('key_agent')], NOT_STRICTER],
  ])('%s', (_, verdict, approvedBy, stricter) => {
    expect(stricterNow(verdict, { requestedBy, approvedBy }) ?? 'not stricter').toMatch(stricter);
  });
});

describe('the sentence that an approver reads', () => {
  const asked = {
    actionName: 'refund.create',
    environmentName: 'Production',
    requestedBy: { type: 'api_key', id: 'key_1', name: 'CI' },
    agentId: 'support-bot',
    request: { method: 'POST', url: 'https://api.example.com/refunds' },
    impact: [{ dimension: 'money', currency: 'usd', amount: 60_000, bound: 'exact' as const }],
  };

  test('says who asks, for what, where, and what it moves', () => {
    expect(invocationTitle(asked)).toBe('refund.create in Production');
    expect(invocationSummary(asked)).toBe(
      'Agent support-bot (key CI) asks to run refund.create in Production: POST https://api.example.com/refunds, moving 600.00 USD.',
    );
    expect(invocationSummary({ ...asked, agentId: null, impact: [] })).toBe(
      'Key CI asks to run refund.create in Production: POST https://api.example.com/refunds.',
    );
  });

  test('stays one line and short, whatever a caller writes into it', () => {
    const url = `https://example.com/\u202Eevil\nApproved: yes${'x'.repeat(10_000)}`;
    const sentence = invocationSummary({ ...asked, agentId: `a\r\nb\u0000`, request: { method: 'POST', url } });
    expect(sentence).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(sentence.length).toBeLessThan(1_000);
  });

  test.each([
    [60_000, 'usd', '600.00 USD'],
    [5, 'usd', '0.05 USD'],
    [500, 'jpy', '500 JPY'],
    [1_234, 'kwd', '1.234 KWD'],
    [9_007_199_254_740_991, 'usd', '90,071,992,547,409.91 USD'],
  ])('%i %s is %s', (amount, currency, text) => {
    const impact = [{ dimension: 'money', currency, amount, bound: 'exact' as const }];
    expect(invocationSummary({ ...asked, impact })).toContain(`, moving ${text}.`);
  });

  test('says several quantities, and which are bounds', () => {
    const emails = { dimension: 'emails', amount: 3, bound: 'upper_bound' as const };
    const sentence = invocationSummary({ ...asked, impact: [...asked.impact, emails] });
    expect(sentence).toContain(', moving 600.00 USD and using at most 3 emails.');
  });
});

describe('reminders', () => {
  const HOUR = 3_600_000;

  test('come at half of the time and at nine tenths, and no more', () => {
    const approval = { createdAtMs: 0, expiresAtMs: 10 * HOUR };
    expect([0, 1, 2].map((remindersSent) => nextReminderMs({ ...approval, remindersSent }))).toEqual([
      5 * HOUR,
      9 * HOUR,
      null,
    ]);
  });

  test('are left out where they would come close together', () => {
    const short = { createdAtMs: 0, expiresAtMs: 2 * REMINDER_GAP_MS_MIN };
    expect([0, 1].map((remindersSent) => nextReminderMs({ ...short, remindersSent }))).toEqual([
      REMINDER_GAP_MS_MIN,
      null,
    ]);
    expect(nextReminderMs({ createdAtMs: 0, expiresAtMs: REMINDER_GAP_MS_MIN, remindersSent: 0 })).toBeNull();
  });
});
