import { getApproval } from '../../db/approvals/queries.ts';
import { openApproval, requireApprovalRoom } from '../../db/approvals/changes.ts';
import { digestOf } from '../../domain/canonical-json.ts';
import { newId } from '../../domain/ids.ts';
import { defineRoute } from '../http/define-route.ts';
import { durationSeconds } from '../http/common-fields.ts';
import { approvalSchema, createApprovalBody, EXPIRES_IN_SECONDS_DEFAULT, placeOf, presentApproval } from './schemas.ts';
import { tellWorkflow } from './tell-workflow.ts';

export const createApprovalRoute = defineRoute({
  of: 'environment',
  id: 'approvals.create',
  method: 'POST',
  path: '/api/v2/approvals',
  summary: 'Open a free-standing approval',
  description:
    'Use it for work that you run yourself. Wait with `GET /api/v2/approvals/{id}?wait=60`, and do what the payload says ' +
    'once the status is `approved`. Any API key with `approvals:decide`, any admin and any owner can decide, except whoever ' +
    'opened it.',
  scope: 'approvals:write',
  request: { body: createApprovalBody },
  response: { 201: approvalSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body, caller, actor, deps }) {
    const id = newId('approval');
    const { workspaceId, environmentId } = caller.tenant;
    const seconds = body.expiresIn === undefined ? EXPIRES_IN_SECONDS_DEFAULT : durationSeconds(body.expiresIn);
    const expiresAt = new Date(Date.now() + seconds * 1000);
    const bound = {
      approvalId: id,
      scope: { workspaceId, environmentId },
      title: body.title,
      summary: body.summary,
      payload: body.payload,
      quorum: body.quorum,
      expiresAt: expiresAt.toISOString(),
    };
    const bindingDigest = digestOf(bound);
    await requireApprovalRoom(tx);
    await openApproval(tx, {
      id,
      kind: 'free_standing',
      invocationId: null,
      effectId: null,
      previewId: null,
      actionId: null,
      title: body.title,
      summary: body.summary,
      payload: body.payload,
      bindingDigest,
      policy: { source: 'caller', id: null, version: null, ruleId: null, reason: 'Its caller asked for it.' },
      quorum: body.quorum,
      approversOfAll: [{}],
      preventSelf: true,
      requestedBy: actor,
      expiresAt,
    });
    const approval = await getApproval(tx, id);
    if (!approval) throw new Error(`approval ${id} was opened and is not there`);
    return {
      reply: { status: 201, data: presentApproval({ approval, preview: null, allowances: [] }, placeOf(deps, caller)) },
      audit: {
        action: 'approval.opened',
        target: { type: 'approval', id },
        details: { bindingDigest, quorum: body.quorum },
      },
      after: await tellWorkflow(tx, deps, caller, { approvalId: id, invocationId: null }),
    };
  },
});
