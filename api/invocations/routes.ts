import { z } from 'zod';
import { getAction } from '../../db/actions/queries.ts';
import { listInvocations } from '../../db/invocations/queries.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { notFound } from '../../domain/errors.ts';
import { hasEnded, isOpen } from '../../domain/lifecycle.ts';
import { presented } from '../http/common-fields.ts';
import { actionParams } from '../actions/request-members.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { longPoll } from '../http/long-poll.ts';
import { missingAction } from '../http/failures.ts';
import { readInvocation } from './await-rest.ts';
import { dryRun } from './dry-run.ts';
import { askedDryRun, dryRunSchema } from './dry-run-schema.ts';
import { invoke } from './invoke.ts';
import {
  acceptedInvocation,
  getInvocationQuery,
  invocationParams,
  invocationSchema,
  invokeBody,
  listedInvocationSchema,
  listInvocationsQuery,
  listOfActionQuery,
  presentInvocation,
  presentListedInvocation,
} from './schemas.ts';

const PREVIEW_ERRORS = ['PREVIEW_MISMATCH', 'PREVIEW_EXPIRED', 'PREVIEW_ALREADY_USED'] as const;

const isDryRun = (body: unknown): boolean => (body as { dryRun?: boolean }).dryRun === true;

export const invokeRoute = defineRoute({
  of: 'environment',
  id: 'actions.invoke',
  method: 'POST',
  path: '/api/v2/actions/{ref}/invoke',
  summary: 'Invoke an action',
  description:
    'Runs the action and answers with the invocation. Read `status` and `grade`, not only the HTTP status: 200 is also the ' +
    'answer for an invocation that was refused, failed, or has an unknown outcome. 202 means that it waits for approval or ' +
    'is still under way: follow `Location`. `nextStep` says what to do.\n\n' +
    'Do not invoke again under a new key while the status is `unknown`: the first request may have taken effect. Reconcile ' +
    'it instead.\n\n' +
    '`dryRun: true` sends and keeps nothing, and answers what would be sent.',
  scope: 'actions:invoke',
  request: { params: actionParams, body: invokeBody },
  response: { 200: z.union([invocationSchema, dryRunSchema]), 202: invocationSchema },
  accepted: acceptedInvocation,
  errors: [
    'NOT_FOUND',
    'OPERATION_KEY_REUSE',
    ...PREVIEW_ERRORS,
    'CONFLICT',
    'QUOTA_EXCEEDED',
    ...BUDGET_ERRORS,
    'BUDGET_EFFECT_ALREADY_RESERVED',
  ],
  expensive: true,
  idempotent: true,
  exempt: {
    atomicReply: 'It answers long after its admission committed. The operation key, this key by default, is the fence.',
  },
  answersFromRecord: true, // the operation key is this key, or names the operation beyond it
  changesNothing: (body) => isDryRun(body),
  fence: 'The operation key, which is this key by default: a second run finds the invocation that was admitted.',
  ownsItsTransaction: 'It answers long after its admission committed: its workflow runs in between.',
  audited: 'none: an invocation has a record and a receipt of its own',
  async handler({ params, body, actor, ...context }) {
    if (body.dryRun === true)
      return { status: 200, data: await dryRun({ ...context, actor }, askedDryRun(params.ref, body)) };
    const invocation = await invoke(context, {
      ref: params.ref,
      input: body.input,
      operationKey: body.operationKey ?? null,
      idempotencyKey: context.idempotencyKey,
      previewId: body.previewId ?? null,
      dependsOn: body.dependsOn ?? [],
      compensates: body.compensates ?? null,
      retryOf: body.retryOf ?? null,
      runId: body.runId ?? null,
      agentId: body.agentId ?? null,
      actor,
      connectedAppId: context.caller.type === 'oauth' ? context.caller.grantId : null,
      credential: context.caller,
    });
    return { status: isOpen(invocation.status) ? 202 : 200, data: presentInvocation(invocation) };
  },
});

export const getInvocationRoute = defineRoute({
  of: 'environment',
  id: 'invocations.get',
  method: 'GET',
  path: '/api/v2/actions/invocations/{id}',
  summary: 'Get an invocation, or wait for it',
  description:
    'With `wait`, the reply comes as soon as the invocation ends or its outcome becomes unknown, or after that many seconds ' +
    'with its state at that time. If it is already unknown, the reply comes once the outcome is found out.',
  scope: 'actions:read',
  role: 'member',
  request: { params: invocationParams, query: getInvocationQuery },
  response: { 200: invocationSchema },
  ownsItsTransaction: 'It waits between its reads, and holds no connection meanwhile.',
  audited: 'none: it changes nothing',
  async handler({ params, query, caller, deps, signal }) {
    const invocation = await longPoll({
      settlements: deps.settlements,
      workspaceId: caller.workspaceId,
      key: params.id,
      timeoutMs: query.wait * 1000,
      signal,
      read: async () => {
        const found = await readInvocation(deps, caller.tenant, params.id);
        if (!found) throw notFound('invocation');
        return found;
      },
      isNews: (now, first) => hasEnded(now.status) || (now.status === 'unknown' && first.status !== 'unknown'),
    });
    return { status: 200, data: presentInvocation(invocation) };
  },
});

const listRoute = defineRoute({
  of: 'environment',
  id: 'invocations.list',
  method: 'GET',
  path: '/api/v2/actions/invocations',
  summary: 'List invocations, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { query: listInvocationsQuery },
  response: { 200: z.array(listedInvocationSchema) },
  list: async (tx, { query, page }) =>
    presented(await listInvocations(tx, { ...query, ...page }), presentListedInvocation),
});

const listOfActionRoute = defineRoute({
  of: 'environment',
  id: 'actions.listInvocations',
  method: 'GET',
  path: '/api/v2/actions/{ref}/invocations',
  summary: "List one action's invocations, newest first",
  scope: 'actions:read',
  role: 'member',
  request: { params: actionParams, query: listOfActionQuery },
  response: { 200: z.array(listedInvocationSchema) },
  async list(tx, { params, query, page }) {
    const action = await getAction(tx, params.ref);
    if (!action) throw await missingAction(tx, params.ref);
    return presented(await listInvocations(tx, { ...query, ...page, actionId: action.id }), presentListedInvocation);
  },
});

export const invocationRoutes: AnyRoute[] = [invokeRoute, listRoute, getInvocationRoute, listOfActionRoute];
