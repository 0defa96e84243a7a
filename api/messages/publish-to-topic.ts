import type { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { Publisher } from '../../db/messages/accept/accept-messages.ts';
import { type AcceptedEvent, acceptEvents, type EventRequest, takeAllowance } from '../../db/events/publishing.ts';
import { ServiceError } from '../../domain/errors.ts';
import { EVENT_TYPE_DEFAULT } from '../../domain/events/topics.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { startFanOutOf } from '../starts/event-workflows.ts';
import type { Actor, Caller } from '../http/define-route.ts';
import type { PublishMessageBody } from './body-schemas.ts';
import { publisherOf } from './publisher.ts';
import type { publishedToTopicSchema } from './schemas.ts';

export type MessageToTopic = PublishMessageBody & { topic: string };

export function isToTopic(body: PublishMessageBody): body is MessageToTopic {
  return body.topic !== undefined;
}

/** The `change` of a publish to a topic: an event, whose fan-out makes the messages. */
export async function publishToTopic(
  tx: EnvironmentTransaction,
  { caller, actor }: { caller: Caller; actor: Actor },
  body: MessageToTopic,
) {
  const events = await publishAllToTopics(tx, publisherOf(caller, actor), [body]);
  await takeAllowance(tx, events);
  const [event] = events;
  if (event === undefined) throw new Error('an event was accepted without a result');
  if (event instanceof ServiceError) throw event;
  return {
    reply: { status: 201, data: presentToTopic(event) },
    audit: 'none: an event is a record of its own, which names its publisher' as const,
    after: (deps: ApiDependencies) => startFanOutOf(deps, caller, [event]),
  };
}

/** One result for each, in order. Throws what refuses all of them. The allowance of the month is taken by the caller, last. */
export function publishAllToTopics(
  tx: EnvironmentTransaction,
  publisher: Publisher,
  bodies: readonly MessageToTopic[],
): Promise<(AcceptedEvent | ServiceError)[]> {
  const requests = bodies.map(({ topic, eventType = EVENT_TYPE_DEFAULT, body = null }): EventRequest => {
    return { topic, type: eventType, data: JSON.stringify(body), ownId: null, occurredAt: null };
  });
  return acceptEvents(tx, publisher, requests);
}

export function presentToTopic({ id, status, deduplicated }: AcceptedEvent): z.input<typeof publishedToTopicSchema> {
  return { eventId: id, status, deduplicated };
}
