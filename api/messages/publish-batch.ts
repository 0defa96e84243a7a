import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { type AcceptedEvent, takeAllowance } from '../../db/events/publishing.ts';
import { acceptMessages, type Published } from '../../db/messages/accept/accept-messages.ts';
import { draftMessages, type MessageDraft } from '../../db/messages/accept/candidates.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import type { InSteps } from '../../domain/in-steps.ts';
import { isJsonObject } from '../../domain/json.ts';
import { MESSAGES_PER_REQUEST_MAX } from '../../domain/messages/messages.ts';
import { RETRY_EXPRESSIONS_PER_BATCH_MAX } from '../../domain/messages/retry-expression.ts';
import { Turns } from '../../domain/turns.ts';
import { startFanOutOf } from '../starts/event-workflows.ts';
import { defineRoute } from '../http/define-route.ts';
import { validatePart } from '../http/validate-request.ts';
import { batchBody, batchItem, type PublishMessageBody } from './body-schemas.ts';
import { publisherOf } from './publisher.ts';
import { resultOf } from './publish.ts';
import { isToTopic, presentToTopic, publishAllToTopics } from './publish-to-topic.ts';
import { batchResultSchema } from './schemas.ts';
import { startScheduled } from './start-scheduled.ts';

const turns = new Turns((run) => setImmediate(run));

type BatchResult = z.input<typeof batchResultSchema>;

export const publishBatchRoute = defineRoute({
  of: 'environment',
  id: 'messages.batch',
  method: 'POST',
  path: '/api/v2/messages/batch',
  summary: 'Publish up to 1,000 messages',
  description:
    'Answers one result for each message, in order: as publish answers, or `error`. One that is not valid does not fail the ' +
    'rest; those that are valid are accepted together. The result of one to a `urlGroup` is an array, of one to a `topic` the event. All of them make at most ' +
    '1,000 messages, with at most 20 different `retryDelay` expressions. Halted environments answer 503 as publish does.',
  scope: 'messages:write',
  request: { body: batchBody },
  response: { 200: z.array(batchResultSchema) },
  errors: ['SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  idempotent: true,
  prepare({ body: { messages }, caller }) {
    refuseManyExpressions(messages);
    return turns.run(caller.workspaceId, readItems(messages));
  },
  async change(tx, { caller, actor, deps, nothingFollows }, items) {
    const publisher = publisherOf(caller, actor);
    const toTopics = items.flatMap((item) => (item instanceof ServiceError || !isToTopic(item) ? [] : [item]));
    const others = items.filter((item) => item instanceof ServiceError || !isToTopic(item));
    const drafted = await draftItems(tx, others);
    const drafts = drafted.flatMap((item) => (item instanceof ServiceError ? [] : item));
    const refused = drafted.filter((item) => item instanceof ServiceError).length;
    refuseTooMany(drafts.length);
    // Before the messages take from the month's allowance: budgets are locked first everywhere.
    const events = await publishAllToTopics(tx, publisher, toTopics);
    const published =
      others.length === 0
        ? []
        : await acceptMessages(tx, deps.vault, publisher, drafts, {
            planned: drafts.length + refused,
            commits: nothingFollows && events.length === 0,
          });
    await takeAllowance(tx, events);
    return {
      reply: { status: 200, data: resultsOf(items, drafted, published, events) },
      audit: 'none: a message is a record of its own, which names its publisher',
      after: async (all) => {
        const accepted = events.flatMap((event) => (event instanceof ServiceError ? [] : [event]));
        await Promise.all([startScheduled(all, caller, published), startFanOutOf(all, caller, accepted)]);
      },
    };
  },
});

type Item = PublishMessageBody | ServiceError;

/** One for each item, in the order of the request. */
function resultsOf(
  items: readonly Item[],
  drafted: readonly (MessageDraft[] | ServiceError)[],
  published: readonly Published[],
  events: readonly (AcceptedEvent | ServiceError)[],
): BatchResult[] {
  const [drafts, messages, accepted] = [[...drafted], [...published], [...events]];
  return items.map((item) => {
    const isEvent = !(item instanceof ServiceError) && isToTopic(item);
    const made = isEvent ? accepted.shift() : drafts.shift();
    if (made === undefined) throw new Error('an item of a batch has no result');
    if (made instanceof ServiceError) return { error: errorOf(made) };
    return Array.isArray(made) ? resultOf(made, messages.splice(0, made.length)) : presentToTopic(made);
  });
}

/** In the place of an item that is not valid, or whose URL group cannot be published to, stands the error. */
async function draftItems(
  tx: EnvironmentTransaction,
  items: readonly Item[],
): Promise<(MessageDraft[] | ServiceError)[]> {
  const valid = items.flatMap((item) => (item instanceof ServiceError ? [] : [item]));
  const drafted = (await draftMessages(tx, valid)).values();
  return items.map((item) => {
    if (item instanceof ServiceError) return item;
    const result = drafted.next();
    if (result.done === true) throw new Error('an item was drafted without a result');
    return result.value;
  });
}

function refuseTooMany(messages: number): void {
  if (messages <= MESSAGES_PER_REQUEST_MAX) return;
  const message = `would make ${messages} messages, one for each endpoint of a URL group; at most ${MESSAGES_PER_REQUEST_MAX} are made at once`;
  throw validationError([{ path: 'body.messages', message }]);
}

/** Each in a step: a thousand take longer than other requests should wait. */
function* readItems(items: readonly unknown[]): InSteps<Item[]> {
  const read: Item[] = [];
  for (const item of items) {
    read.push(readItem(item));
    yield;
  }
  return read;
}

function refuseManyExpressions(items: readonly unknown[]): void {
  const expressions = new Set(items.flatMap((item) => (isJsonObject(item) ? (item['retryDelay'] ?? []) : [])));
  if (expressions.size <= RETRY_EXPRESSIONS_PER_BATCH_MAX) return;
  const message = `have ${expressions.size} different retryDelay expressions; a batch may have ${RETRY_EXPRESSIONS_PER_BATCH_MAX}`;
  throw validationError([{ path: 'body.messages', message }]);
}

function readItem(item: unknown): Item {
  try {
    // It parses what the schema says, as the machinery does for a body.
    return validatePart('body', batchItem, item) as PublishMessageBody;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function errorOf(error: ServiceError): Extract<BatchResult, { error: unknown }>['error'] {
  const { code, publicMessage: message, details } = error;
  return details === undefined ? { code, message } : { code, message, details: JSON.parse(JSON.stringify(details)) };
}
