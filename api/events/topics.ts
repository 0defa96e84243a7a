import { z } from 'zod';
import {
  createTopic,
  deleteTopic,
  listTopics,
  requireTopic,
  type TopicRecord,
  updateTopic,
} from '../../db/events/topics.ts';
import { validationError } from '../../domain/errors.ts';
import { SERVICE_TOPIC } from '../../domain/events/events.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  createTopicBody,
  deletedSchema,
  listTopicsQuery,
  presentTopic,
  topicParams,
  topicSchema,
  updateTopicBody,
} from './schemas.ts';

export const listTopicsRoute = defineRoute({
  of: 'environment',
  id: 'events.topics.list',
  method: 'GET',
  path: '/api/v2/events/topics',
  summary: 'List topics, newest first',
  scope: 'events:read',
  role: 'member',
  request: { query: listTopicsQuery },
  response: { 200: z.array(topicSchema) },
  list: async (tx, { query, page }) => presented(await listTopics(tx, { ...query, ...page }), presentTopic),
});

export const createTopicRoute = defineRoute({
  of: 'environment',
  id: 'events.topics.create',
  method: 'POST',
  path: '/api/v2/events/topics',
  summary: 'Create a topic',
  description: 'The reserved topic `service` is not created: subscribe to it, and it is there.',
  scope: 'events:write',
  role: 'admin',
  request: { body: createTopicBody },
  response: { 201: topicSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  quotaStatus: 402,
  idempotent: true,
  async change(tx, { body }) {
    const topic = await createTopic(tx, body);
    return { reply: { status: 201, data: presentTopic(topic) }, audit: entryOf('topic.created', topic) };
  },
});

export const getTopicRoute = defineRoute({
  of: 'environment',
  id: 'events.topics.get',
  method: 'GET',
  path: '/api/v2/events/topics/{ref}',
  summary: 'Get a topic',
  scope: 'events:read',
  role: 'member',
  request: { params: topicParams },
  response: { 200: topicSchema },
  read: async (tx, { params: { ref } }) => presentTopic(await requireTopic(tx, ref)),
});

export const updateTopicRoute = defineRoute({
  of: 'environment',
  id: 'events.topics.update',
  method: 'PATCH',
  path: '/api/v2/events/topics/{ref}',
  summary: 'Change a topic',
  description:
    'Members that are left out stay. Deliveries carry the name that the topic has when they are made. The reserved topic `service` cannot be changed.',
  scope: 'events:write',
  role: 'admin',
  request: { params: topicParams, body: updateTopicBody },
  response: { 200: topicSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { ref }, body }) {
    const before = await requireTopic(tx, ref, { lock: true });
    refuseReserved(before.name, 'changed');
    const { name = before.name, description = before.description } = body;
    if (name === before.name && description === before.description) {
      return { reply: { status: 200, data: presentTopic(before) }, audit: 'none: the topic is like that already' };
    }
    const after = await updateTopic(tx, { id: before.id, name, description });
    const { name: nameBefore, description: descriptionBefore } = before;
    const entry = entryOf('topic.updated', after);
    return {
      reply: { status: 200, data: presentTopic(after) },
      audit: {
        ...entry,
        details: { ...entry.details, description, before: { name: nameBefore, description: descriptionBefore } },
      },
    };
  },
});

export const deleteTopicRoute = defineRoute({
  of: 'environment',
  id: 'events.topics.delete',
  method: 'DELETE',
  path: '/api/v2/events/topics/{ref}',
  summary: 'Delete a topic with its subscriptions and events',
  description:
    'From the reply on none of them is found, and the name is free. Their rows are deleted in steps afterwards. Messages that were made ' +
    'for its subscriptions are delivered all the same. The reserved topic `service` cannot be deleted.',
  scope: 'events:write',
  role: 'admin',
  request: { params: topicParams },
  response: { 200: deletedSchema },
  idempotent: true,
  async change(tx, { params: { ref } }) {
    refuseReserved(ref, 'deleted');
    const topic = await requireTopic(tx, ref, { lock: true });
    refuseReserved(topic.name, 'deleted');
    await deleteTopic(tx, topic.id);
    return { reply: { status: 200, data: { deleted: true as const } }, audit: entryOf('topic.deleted', topic) };
  },
});

function refuseReserved(name: string, what: 'changed' | 'deleted'): void {
  if (name !== SERVICE_TOPIC) return;
  throw validationError([
    { path: 'params.ref', message: `is the reserved topic of platform events: it cannot be ${what}` },
  ]);
}

function entryOf<Action extends 'topic.created' | 'topic.updated' | 'topic.deleted'>(
  action: Action,
  { id, name }: TopicRecord,
) {
  return { action, target: { type: 'topic', id }, details: { name } };
}
