import { publishEvent } from '../../db/events/publishing.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { defineRoute } from '../http/define-route.ts';
import { publisherOf } from '../messages/publisher.ts';
import { presentPublishedEvent, publishedEventSchema, publishEventBody } from './event-schemas.ts';
import { startFanOutOf } from '../starts/event-workflows.ts';

export const publishEventRoute = defineRoute({
  of: 'environment',
  id: 'events.publish',
  method: 'POST',
  path: '/api/v2/events',
  summary: 'Publish an event',
  description:
    'Accepts an event and delivers it to each enabled subscription of its topic with a pattern that matches its type, at least once, with ' +
    'retries. 201: accepted. 200 with `deduplicated: true`: an event with this `id` was published before, and it is that one; 409 where ' +
    'that one is of another topic or type. 402: no message or no egress of the month is left. While the environment is halted the answer is 503, unless the ' +
    'key holds `messages:ingest`: then the event is kept and delivered after the resumption.',
  scope: 'events:write',
  request: { body: publishEventBody },
  response: { 200: publishedEventSchema, 201: publishedEventSchema },
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  quotaStatus: 402,
  idempotent: true,
  async change(tx, { body, caller, actor }) {
    const { topic, type, data, id, occurredAt } = body;
    const { event, deduplicated } = await publishEvent(tx, publisherOf(caller, actor), {
      topic,
      type,
      data: JSON.stringify(data),
      ownId: id ?? null,
      occurredAt: occurredAt === undefined ? null : new Date(occurredAt),
    });
    return {
      reply: { status: deduplicated ? 200 : 201, data: presentPublishedEvent(event, deduplicated) },
      audit: 'none: an event is a record of its own, which names its publisher',
      after: (deps) => startFanOutOf(deps, caller, [event]),
    };
  },
});
