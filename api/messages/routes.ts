import { z } from 'zod';
import { cancelMessage } from '../../db/messages/cancel-message.ts';
import { getMessage } from '../../db/messages/get-message.ts';
import { listMessages } from '../../db/messages/list-messages.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { paginationOf } from '../http/pagination.ts';
import { tellMessageWorkflow } from './message-workflows.ts';
import { publishBatchRoute } from './publish-batch.ts';
import { publishMessageRoute } from './publish-message.ts';
import { listMessagesQuery, messageParams, messageSchema, presentMessage } from './schemas.ts';

const listRoute = defineRoute({
  id: 'messages.list',
  method: 'GET',
  path: '/api/v2/messages',
  summary: 'List messages, newest first',
  scope: 'messages:read',
  request: { query: listMessagesQuery },
  response: { 200: z.array(messageSchema) },
  paginated: true,
  errors: [],
  async handler({ query, caller, deps }) {
    const { total, items } = await deps.db.withEnvironment(caller.tenant, (tx) => listMessages(tx, query));
    return { status: 200, data: items.map(presentMessage), pagination: paginationOf(total, query.page, query.limit) };
  },
});

const getRoute = defineRoute({
  id: 'messages.get',
  method: 'GET',
  path: '/api/v2/messages/{messageId}',
  summary: 'Get a message',
  scope: 'messages:read',
  request: { params: messageParams },
  response: { 200: messageSchema },
  errors: ['NOT_FOUND'],
  async handler({ params, caller, deps }) {
    const message = await deps.db.withEnvironment(caller.tenant, (tx) => getMessage(tx, params.messageId));
    if (message === null) throw notFound('message');
    return { status: 200, data: presentMessage(message) };
  },
});

const cancelRoute = defineRoute({
  id: 'messages.cancel',
  method: 'DELETE',
  path: '/api/v2/messages/{messageId}',
  summary: 'Cancel a message',
  description:
    'Cancels a message that is `pending` or `scheduled`: after the 200 no attempt is made. Once an attempt was started, or the ' +
    'message has ended, the answer is 409.',
  scope: 'messages:write',
  request: { params: messageParams },
  response: { 200: messageSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ params: { messageId }, caller, deps }) {
    const result = await deps.db.withEnvironment(caller.tenant, (tx) => cancelMessage(tx, messageId));
    if (result === null) throw notFound('message');
    if ('inTheWay' in result) {
      throw new ServiceError('CONFLICT', {
        message: `Message ${messageId} is ${result.inTheWay}. Only a pending or scheduled message can be cancelled.`,
      });
    }
    await tellWorkflow(deps, messageId);
    return { status: 200, data: presentMessage(result.cancelled) };
  },
});

/** The row has decided. A workflow that is not told finds that out when the message would be due. */
async function tellWorkflow(deps: ApiDependencies, messageId: string): Promise<void> {
  try {
    await tellMessageWorkflow(deps.temporal, messageId);
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'unknown reason';
    deps.logger.warn({ messageId, failure }, 'the workflow of a cancelled message was not told');
  }
}

export const messageRoutes: AnyRoute[] = [publishMessageRoute, publishBatchRoute, listRoute, getRoute, cancelRoute];
