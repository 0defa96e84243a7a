import { z } from 'zod';
import { cancelMessage } from '../../db/messages/changes.ts';
import { getMessage, listMessages } from '../../db/messages/queries.ts';
import { findWaitingFiring } from '../../db/schedules/firings.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { listAttemptsRoute } from './list-attempts.ts';
import { startFiring, tellMessageWorkflow } from '../starts/message-workflows.ts';
import { publishBatchRoute } from './publish-batch.ts';
import { publishMessageRoute } from './publish-message.ts';
import {
  listedMessageSchema,
  listMessagesQuery,
  messageParams,
  messageSchema,
  presentListedMessage,
  presentMessage,
} from './schemas.ts';

const listRoute = defineRoute({
  of: 'environment',
  id: 'messages.list',
  method: 'GET',
  path: '/api/v2/messages',
  summary: 'List messages, newest first',
  scope: 'messages:read',
  role: 'member',
  request: { query: listMessagesQuery },
  response: { 200: z.array(listedMessageSchema) },
  list: async (tx, { query, page }) => presented(await listMessages(tx, { ...query, ...page }), presentListedMessage),
});

const getRoute = defineRoute({
  of: 'environment',
  id: 'messages.get',
  method: 'GET',
  path: '/api/v2/messages/{messageId}',
  summary: 'Get a message',
  scope: 'messages:read',
  role: 'member',
  request: { params: messageParams },
  response: { 200: messageSchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const message = existing(await getMessage(tx, params.messageId), 'message');
    return presentMessage(message);
  },
});

const cancelRoute = defineRoute({
  of: 'environment',
  id: 'messages.cancel',
  method: 'DELETE',
  path: '/api/v2/messages/{messageId}',
  summary: 'Cancel a message',
  description:
    'Cancels a message before its first attempt, or between two: after the 200 no attempt is made. While an attempt is under way, and ' +
    'once the message has ended, the answer is 409.',
  scope: 'messages:write',
  role: 'admin',
  request: { params: messageParams },
  response: { 200: messageSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async change(tx, { params: { messageId }, caller, deps }) {
    const result = existing(await cancelMessage(tx, messageId), 'message');
    if ('inTheWay' in result) {
      throw new ServiceError('CONFLICT', {
        message:
          result.inTheWay === 'attempt'
            ? `An attempt of message ${messageId} is under way. Cancel it once the attempt has ended, if it is to be retried then.`
            : `Message ${messageId} is ${result.inTheWay}: there is nothing left to be cancelled.`,
      });
    }
    const { scheduleId } = result.cancelled;
    // A run of its schedule may wait for its end.
    const waitingAt = scheduleId === null ? null : await findWaitingFiring(tx, scheduleId);
    const firing =
      scheduleId === null || waitingAt === null
        ? null
        : ({ ...caller.tenant, scheduleId, trigger: 'schedule', nominalAt: waitingAt.toISOString() } as const);
    const told = { environmentName: caller.environment.name, taskQueue: deps.taskQueue };
    return {
      reply: { status: 200, data: presentMessage(result.cancelled) },
      audit: { action: 'message.cancelled', target: { type: 'message', id: messageId } },
      // The rows decide. A workflow that is not notified finds it when the message would be due, and the sweep finds the run.
      after: async () => {
        if (result.hasWorkflow) await tellMessageWorkflow(deps.temporal, messageId);
        if (firing !== null) await startFiring(deps.temporal, firing, told);
      },
    };
  },
});

export const messageRoutes: AnyRoute[] = [
  publishMessageRoute,
  publishBatchRoute,
  listRoute,
  getRoute,
  listAttemptsRoute,
  cancelRoute,
];
