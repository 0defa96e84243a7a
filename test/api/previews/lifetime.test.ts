import { expect, test } from 'vitest';
import { expireApproval } from '../../../activities/approvals/end-approval.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, invocationIn, invoke } from '../invocations/support.ts';
import { preview, previewIn, type Preview } from './support.ts';

/** How long a preview lives whose request does not say, and what a caller reads of an approval's time. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const MINUTES = 60;
const HOURS = 60 * MINUTES;

/** An action that policies of these times ask about, one each. */
async function askedAction(...expiresIn: string[]): Promise<string> {
  const action = await createAction(service, { url: `${target.baseUrl}/ok` });
  for (const [index, time] of expiresIn.entries()) {
    const rules = [
      { id: 'other', match: { actions: ['other'] }, effect: 'require_approval', approval: { expiresIn: 'P30D' } },
      { id: 'ask', match: { actions: [action] }, effect: 'require_approval', approval: { expiresIn: time } },
    ];
    const document = { schema: 'approval-policy/v1', name: `${action} ${index}`, rules };
    const reply = await service.post('/api/v2/approval-policies', { document });
    expect(reply.status, reply.text).toBe(201);
  }
  return action;
}

const secondsOf = ({ createdAt, expiresAt }: Preview): number =>
  Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000);

test.each([
  ['nobody is asked', [], 15 * MINUTES],
  ['two rules ask, the longer one', ['PT2H', 'PT5H'], 5 * HOURS],
  ['a rule gives more than a request may ask for', ['P3D'], 72 * HOURS],
  ['a rule gives less than a preview lives', ['PT1M'], 15 * MINUTES],
])('where %s', async (_, times, seconds) => {
  expect(secondsOf(await preview(service, await askedAction(...times)))).toBe(seconds);
});

test('the request wins, and a refresh follows the rules that ask by then', async () => {
  const action = await askedAction('PT2H');
  const asked = await preview(service, action, { input: {}, expiresIn: 'PT10M' });
  expect(secondsOf(asked)).toBe(10 * MINUTES);
  const refresh = `/api/v2/actions/previews/${asked.id}/refresh`;
  const refreshed = previewIn(await service.post(refresh, {}));
  expect(secondsOf(refreshed)).toBe(2 * HOURS);
  const again = await service.post(`/api/v2/actions/previews/${refreshed.id}/refresh`, { expiresIn: 'PT1M' });
  expect(secondsOf(previewIn(again))).toBe(MINUTES);
});

test('a parked reply says until when people can decide; after that it asks for a new preview', async () => {
  const action = await askedAction('PT2H', 'PT5H');
  const made = await preview(service, action);
  const { invocation } = await invoke(service, action, { input: {}, previewId: made.id });
  expect(invocation.status).toBe('pending_approval');
  const approvalId = invocation.approvalId ?? '';
  const { data: approval } = (await service.get(`/api/v2/approvals/${approvalId}`)).json as {
    data: { createdAt: string; expiresAt: string };
  };
  // The shortest of the rules, and not the end of the preview.
  expect(Date.parse(approval.expiresAt) - Date.parse(approval.createdAt)).toBeGreaterThan((2 * HOURS - 60) * 1_000);
  expect(invocation.expiresAt).toBe(approval.expiresAt);
  expect(invocation.nextStep).toContain(`decide approval ${approvalId} before ${approval.expiresAt}`);
  await expireApproval(service.deps)({
    ...service.database.tenants.development,
    approvalId,
    invocationId: invocation.id,
    at: approval.expiresAt,
  });
  const expired = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`));
  expect(expired).toMatchObject({ status: 'expired', expiresAt: null, refusal: { code: 'approval_expired' } });
  expect(expired.nextStep).toContain('make a new preview and, with its previewId, invoke again');
});
