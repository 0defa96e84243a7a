import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { ReplayRef } from '../../domain/refs.ts';
import { awaitApprovalStart } from '../../temporal/approvals/await-approval.ts';
import { invokeActionStart } from '../../temporal/invocations/invoke-action.ts';
import { deliverMessageStart } from '../../temporal/messages/deliver-message.ts';
import { resumeMessagesStart } from '../../temporal/messages/resume-messages.ts';
import { startMessagesStart } from '../../temporal/messages/start-messages.ts';
import { observePreviewStart } from '../../temporal/previews/observe-preview.ts';
import { reconcileEffectStart } from '../../temporal/reconciliation/reconcile-effect.ts';
import { replayEffectStart } from '../../temporal/reconciliation/replay-effect.ts';
import { watchReversalStart } from '../../temporal/reconciliation/watch-reversal.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { asChild, type Start } from '../../temporal/start.ts';
import * as registry from '../../workflows/index.ts';

/** Everything that a caller may hold, and one value that must be in no history. */
const ref: ReplayRef & { previewId: string; messageId: string; approvalId: string; secret: string } = {
  invocationId: 'inv_1',
  workspaceId: 'wsp',
  environmentId: 'env',
  effectId: 'eff_1',
  actionName: 'refund.create',
  attemptId: 'att_1',
  previewId: 'prv_1',
  messageId: 'msg_1',
  approvalId: 'apr_1',
  secret: 'CONFIDENTIAL',
};
const names = { actionName: ref.actionName, environmentName: 'Production' };
const tenant = ['WorkspaceId', 'EnvironmentId'];
const ofEffect = [...tenant, 'ActionName', 'InvocationId', 'EffectId', 'Stage'];

const STARTS: [string, Start, string[]][] = [
  [
    'invocation/inv_1',
    invokeActionStart(ref, 'q', names),
    [...tenant, 'Environment', 'ActionName', 'InvocationId', 'Stage', 'Grade'],
  ],
  ['invocation/inv_1', invokeActionStart(ref, 'q'), [...tenant, 'InvocationId', 'Stage', 'Grade']],
  [
    'approval/apr_1',
    awaitApprovalStart({ ...ref, subject: 'refund.create' }, 'q'),
    [...tenant, 'ActionName', 'InvocationId', 'Stage'],
  ],
  [
    'approval/apr_1',
    awaitApprovalStart({ ...ref, invocationId: null, subject: 'free-standing' }, 'q'),
    [...tenant, 'Stage'],
  ],
  ['reconcile/eff_1', reconcileEffectStart(ref, 'q'), [...ofEffect, 'Grade']],
  ['replay/att_1', replayEffectStart({ ...ref, timeoutMs: 1 }, 'q'), [...ofEffect, 'Grade']],
  ['reversal/eff_1', watchReversalStart(ref, 'q'), ofEffect],
  ['message/msg_1', deliverMessageStart(ref, 'q'), [...tenant, 'Stage']],
  ['start-messages/msg_1', startMessagesStart({ ...ref, messageIds: ['msg_1'] }, 'q'), tenant],
  ['resume-messages/env', resumeMessagesStart(ref, 'q'), tenant],
  ['preview/prv_1', observePreviewStart(ref, 'q', names), [...tenant, 'Environment', 'ActionName']],
];

test.each(STARTS)(
  '%s names a registered workflow, its id and what it is found by, and carries ids alone',
  (id, start, attributes) => {
    expect(Object.keys(registry)).toContain(start.type);
    expect(start.options.workflowId).toBe(id);
    expect(start.options.taskQueue).toBe('q');
    expect(start.options.typedSearchAttributes.map(({ key }) => key.name)).toEqual(attributes);
    expect(JSON.stringify(start)).not.toContain('CONFIDENTIAL');
  },
);

test('every workflow but the scheduled one has its start', () => {
  const started = new Set(STARTS.map(([, { type }]) => type));
  expect(Object.keys(registry).filter((name) => !started.has(name))).toEqual(['sweepMaintenance']);
});

test('an attribute that is not known is left out', () => {
  const values = { workspaceId: 'wsp', effectId: null, actionName: undefined, grade: 'unknown' };
  expect(searchAttributes(values).map(({ key, value }) => [key.name, value])).toEqual([
    ['WorkspaceId', 'wsp'],
    ['Grade', 'unknown'],
  ]);
});

test('a start as a child differs by the conflict policy alone', () => {
  const start = reconcileEffectStart(ref, 'q');
  const { workflowIdConflictPolicy, ...rest } = start.options;
  expect(workflowIdConflictPolicy).toBe(WorkflowIdConflictPolicy.USE_EXISTING);
  expect(asChild(start)).toEqual({ type: start.type, options: rest });
});

test('an invocation that ended well is run again only where that is asked for', () => {
  const policy = (again: boolean) => invokeActionStart(ref, 'q', names, again).options.workflowIdReusePolicy;
  expect(policy(false)).toBe(WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY);
  expect(policy(true)).toBe(WorkflowIdReusePolicy.ALLOW_DUPLICATE);
});
