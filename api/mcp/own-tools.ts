import { z } from 'zod';
import { ACTS_ON_THE_WORLD, READS_RECORDS, type ToolAnnotations } from '../../domain/mcp/annotations.ts';
import type { OwnToolName } from '../../domain/mcp/tool-names.ts';
import { usageCurrentSchema } from '../analytics/usage-schemas.ts';
import { usageCurrentRoute } from '../analytics/usage.ts';
import { actionSchema } from '../actions/action-schemas.ts';
import { getActionRoute } from '../actions/get-action.ts';
import { listActionsRoute, QUERY_CHARACTERS_MAX } from '../actions/list-actions.ts';
import { getEffectRoute } from '../effects/routes.ts';
import { effectSchema } from '../effects/schemas.ts';
import type { EnvironmentRoute } from '../http/define-route.ts';
import { WAIT_SECONDS_MAX } from '../http/long-poll.ts';
import { getInvocationRoute, invokeRoute } from '../invocations/routes.ts';
import { invocationSchema, invokeBody } from '../invocations/schemas.ts';
import { memorySchema } from '../memory/schemas.ts';
import { foundSchema, searchBody, searchMemoriesRoute } from '../memory/search-memories.ts';
import { storeFields, storeMemoryRoute } from '../memory/store-memory.ts';
import { publishBody } from '../messages/body-schemas.ts';
import { publishMessageRoute } from '../messages/publish-message.ts';
import { publishedSchema, publishedToTopicSchema } from '../messages/schemas.ts';
import { createPreviewRoute } from '../previews/create-preview.ts';
import { previewBody, previewSchema } from '../previews/schemas.ts';

/** A tool as clients see it; call-own-tool.ts runs it. */
export interface OwnTool<Arguments extends z.ZodType = z.ZodType> {
  name: OwnToolName;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  /** The tool calls this route and needs its scope. */
  route: EnvironmentRoute;
  arguments: Arguments;
  /** Structured content of a successful call. */
  record: z.ZodType;
}

const SEARCH_LIMIT_DEFAULT = 20;
const SEARCH_LIMIT_MAX = 50;

const action = z.string().min(1).max(100).describe('Name or id of the action.');
const waitSeconds = (what: string) => z.int().min(0).max(WAIT_SECONDS_MAX).optional().describe(what);

function tool<Arguments extends z.ZodType>(definition: OwnTool<Arguments>): OwnTool<Arguments> {
  return definition;
}

export const searchActions = tool({
  name: 'search_actions',
  title: 'Search actions',
  description: 'Finds the actions that can be invoked, by words of their names and descriptions; newest first.',
  annotations: READS_RECORDS,
  route: listActionsRoute,
  arguments: z.strictObject({
    query: z
      .string()
      .max(QUERY_CHARACTERS_MAX)
      .optional()
      .describe('Words that the name or the description has. Left out: all actions.'),
    limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT).describe('How many to answer.'),
  }),
  record: z.strictObject({
    actions: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        governed: z.boolean(),
        approvalRequired: z.boolean(),
        pinned: z.boolean(),
      }),
    ),
    total: z.int().describe('How many there are: more than were answered, where the query is wide.'),
  }),
});

export const describeAction = tool({
  name: 'describe_action',
  title: 'Describe an action',
  description: 'One action in full: what it sends, the JSON Schema of its input, and whether a person must approve it.',
  annotations: READS_RECORDS,
  route: getActionRoute,
  arguments: z.strictObject({ action }),
  record: actionSchema,
});

const { input, operationKey, previewId, runId } = invokeBody.shape;

export const previewAction = tool({
  name: 'preview_action',
  title: 'Preview an action',
  description:
    'Shows exactly what a governed action would send and use up. Nothing is sent. Pass its id to invoke_action as previewId to have ' +
    'exactly this executed, or nothing.',
  // A preview is a record, and may read the provider's.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  route: createPreviewRoute,
  arguments: z.strictObject({ action, input, operationKey, runId, expiresIn: previewBody.shape.expiresIn }),
  record: previewSchema,
});

export const invokeAction = tool({
  name: 'invoke_action',
  title: 'Invoke an action',
  description:
    'Runs an action and answers with its receipt. Read status and grade: an invocation that was refused, failed, or has an unknown ' +
    'outcome is answered without an error. Name an operationKey: a second call with the same key and input answers the first ' +
    'invocation, and never sends twice. While the outcome is unknown, do not invoke again under another key.',
  annotations: ACTS_ON_THE_WORLD,
  route: invokeRoute,
  arguments: z.strictObject({
    action,
    input,
    operationKey,
    previewId,
    runId,
    waitSeconds: waitSeconds(
      'How long to wait for its end where it waits for a person, or is still under way. Default 0.',
    ),
  }),
  record: invocationSchema,
});

export const getInvocation = tool({
  name: 'get_invocation',
  title: 'Get an invocation',
  description: 'The present state of an invocation, or its end if it comes within waitSeconds.',
  annotations: READS_RECORDS,
  route: getInvocationRoute,
  arguments: z.strictObject({
    id: z.string().min(1).max(100).describe('inv_…'),
    waitSeconds: waitSeconds('How long to wait for its end. Default 0.'),
  }),
  record: invocationSchema,
});

export const getEffect = tool({
  name: 'get_effect',
  title: 'Get a receipt',
  description:
    'The receipt of a governed action: what was sent, every attempt, the evidence, and what is really known.',
  annotations: READS_RECORDS,
  route: getEffectRoute,
  arguments: z.strictObject({ id: z.string().min(1).max(100).describe('eff_…') }),
  record: effectSchema,
});

export const publishMessage = tool({
  name: 'publish_message',
  title: 'Publish a message',
  description:
    'Has one HTTP request delivered, now or later, at least once, with retries. A deduplicationId keeps a second call within 10 minutes ' +
    'from delivering it again.',
  annotations: ACTS_ON_THE_WORLD,
  route: publishMessageRoute,
  arguments: publishBody,
  record: z.union([
    publishedSchema,
    publishedToTopicSchema,
    z.strictObject({ messages: z.array(publishedSchema).describe('For a URL group: one for each endpoint.') }),
  ]),
});

const moment = z.iso.datetime({ offset: true }).optional();
const { query, collectionIds, userId, filter, limit, mode } = searchBody.shape;

export const searchMemory = tool({
  name: 'search_memory',
  title: 'Search memory',
  description:
    'Finds what was remembered, by meaning and by words, the best first: what holds now, or with asOf what was known and held then.',
  annotations: READS_RECORDS,
  route: searchMemoriesRoute,
  arguments: z.strictObject({
    query,
    collectionIds,
    userId,
    filter,
    limit,
    mode,
    asOf: moment.describe('RFC 3339. What was recorded by then and held then.'),
    validAt: moment.describe('RFC 3339. What held then, as it is recorded now. Not with asOf.'),
  }),
  record: z.strictObject({ memories: z.array(foundSchema) }),
});

export const remember = tool({
  name: 'remember',
  title: 'Remember something',
  description:
    'Stores one fact or episode for later conversations. Say whom it is about with userId. Search first: the same thing need not be stored twice.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  route: storeMemoryRoute,
  arguments: storeFields.extend({
    validFrom: moment.describe('RFC 3339. From when on it holds; now, where it is left out.'),
    validTo: moment.describe('RFC 3339. Until when it holds.'),
    expiresAt: moment.describe('RFC 3339. When it is to be deleted.'),
  }),
  record: memorySchema,
});

export const getUsage = tool({
  name: 'get_usage',
  title: 'Get usage and budget',
  description:
    'What this environment and its workspace used this month, what the plan includes, what the budget of this key still admits, and when ' +
    'these begin again. Call it before much work, and when a call was refused with QUOTA_EXCEEDED or BUDGET_EXCEEDED.',
  annotations: READS_RECORDS,
  route: usageCurrentRoute,
  arguments: z.strictObject({}),
  record: usageCurrentSchema,
});

export const OWN_TOOLS: readonly OwnTool[] = [
  searchActions,
  describeAction,
  previewAction,
  invokeAction,
  getInvocation,
  getEffect,
  publishMessage,
  searchMemory,
  remember,
  getUsage,
];

const BY_NAME: ReadonlyMap<string, OwnTool> = new Map(OWN_TOOLS.map((tool) => [tool.name, tool]));

export function findOwnTool(name: string): OwnTool | undefined {
  return BY_NAME.get(name);
}
