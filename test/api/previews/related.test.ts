import { expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { readApproval } from '../approvals/support.ts';
import { createAction, errorOf, invoke } from '../invocations/support.ts';
import { preview, previewIn, type Preview } from './support.ts';

/** A preview's body equals the body of the later invocation, including its references to earlier ones. */
const [service, target] = await Promise.all([startTestService(), startTarget()]);
const action = await createAction(service, { url: `${target.baseUrl}/ok` });
const [first, second] = await Promise.all([invoke(service, action), invoke(service, action)]);
/** Two effects that succeeded, one to compensate and one to wait for, and the invocation to run again. */
const [charge, order] = [first.invocation.effectId ?? '', second.invocation.effectId ?? ''];
const earlier = first.invocation.id;

const related = (): JsonObject => ({ input: {}, compensates: charge, dependsOn: [order], retryOf: earlier });
const belongsTo = (made: Pick<Preview, 'blocks'>) =>
  made.blocks.find(({ title }) => title === 'What it belongs to')?.fields;
const shown = () => [
  { label: 'Makes up for effect', value: charge },
  { label: 'Runs again', value: earlier },
  { label: 'Sent only after effect', value: order },
];

test('is shown, kept by a refresh, and what the invocation must say again', async () => {
  const old = await preview(service, action, related());
  expect(belongsTo(old)).toEqual(shown());
  const made = previewIn(await service.post(`/api/v2/actions/previews/${old.id}/refresh`, {}));
  expect(belongsTo(made)).toEqual(shown());
  const ask = (over: JsonObject) =>
    service.post(`/api/v2/actions/${action}/invoke`, { ...related(), previewId: made.id, ...over });
  for (const [member, other] of [
    ['compensates', order],
    ['dependsOn', [order, charge]],
    ['dependsOn', []],
  ] as const) {
    const reply = await ask({ [member]: other as string | string[] });
    expect([reply.status, errorOf(reply).code, errorOf(reply).message]).toEqual([
      409,
      'PREVIEW_MISMATCH',
      expect.stringContaining(`another ${member}`),
    ]);
  }
  const without = await service.post(`/api/v2/actions/${action}/invoke`, { input: {}, previewId: made.id });
  expect([without.status, errorOf(without).code]).toEqual([409, 'PREVIEW_MISMATCH']);
  const { status, invocation } = await invoke(service, action, { ...related(), previewId: made.id });
  expect([status, invocation.status, invocation.retryOf]).toEqual([200, 'succeeded', earlier]);
});

test('without relations does not fit an invocation that names some: PREVIEW_MISMATCH', async () => {
  const made = await preview(service, action);
  expect(belongsTo(made)).toBeUndefined();
  const reply = await service.post(`/api/v2/actions/${action}/invoke`, { ...related(), previewId: made.id });
  expect([reply.status, errorOf(reply).code]).toEqual([409, 'PREVIEW_MISMATCH']);
});

test('with a relation that does not exist is 400, as for the invocation', async () => {
  const nobody = { dependsOn: ['eff_0351NTsRiaVmWP92Y4jFhc'] };
  const reply = await service.post(`/api/v2/actions/${action}/previews`, { input: {}, ...nobody });
  expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(errorOf(reply).details).toMatchObject({ issues: [{ path: 'body.dependsOn[0]' }] });
});

test('is shown to who approves, where the service made the preview', async () => {
  const asking = await createAction(service, { url: `${target.baseUrl}/ok` }, { approval: { required: true } });
  const { status, invocation } = await invoke(service, asking, {
    input: {},
    compensates: charge,
    dependsOn: [order],
  });
  expect(status).toBe(202);
  const approval = await readApproval(service, invocation.approvalId);
  expect(approval.preview && belongsTo(approval.preview)).toEqual([shown()[0], shown()[2]]);
});
