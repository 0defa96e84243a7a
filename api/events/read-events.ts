import { z } from 'zod';
import { getEvent, listEvents } from '../../db/events/events.ts';
import { listDeliveries } from '../../db/events/deliveries.ts';
import { requireTopic } from '../../db/events/topics.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  eventParams,
  eventQuery,
  eventWithDeliveriesSchema,
  listedEventSchema,
  listEventsQuery,
  presentEventWithDeliveries,
  presentListedEvent,
} from './event-schemas.ts';

export const listEventsRoute = defineRoute({
  of: 'environment',
  id: 'events.list',
  method: 'GET',
  path: '/api/v2/events',
  summary: 'List events, newest first',
  scope: 'events:read',
  role: 'member',
  request: { query: listEventsQuery },
  response: { 200: z.array(listedEventSchema) },
  async list(tx, { query: { topic, ...filter }, page }) {
    const topicId = topic === undefined ? undefined : (await requireTopic(tx, topic)).id;
    return presented(await listEvents(tx, { ...filter, topicId, ...page }), presentListedEvent);
  },
});

export const getEventRoute = defineRoute({
  of: 'environment',
  id: 'events.get',
  method: 'GET',
  path: '/api/v2/events/{eventId}',
  summary: 'Get an event with its deliveries',
  description: 'With a page of its deliveries, which `page` and `limit` choose, and the attempts of each.',
  scope: 'events:read',
  role: 'member',
  request: { params: eventParams, query: eventQuery },
  response: { 200: eventWithDeliveriesSchema },
  async read(tx, { params: { eventId }, query: { page, limit } }) {
    const event = existing(await getEvent(tx, eventId), 'event');
    const deliveries = await listDeliveries(tx, event.id, { limit, offset: (page - 1) * limit });
    return presentEventWithDeliveries(event, deliveries, { page, limit });
  },
});
