import { z } from 'zod';
import type { SessionMessageRecord, SessionRecord } from '../../db/sessions/sessions.ts';
import { jsonBytes } from '../../domain/json.ts';
import {
  MESSAGE_BYTES_MAX,
  MESSAGE_ROLES,
  MESSAGES_PER_APPEND_MAX,
  PARTS_PER_MESSAGE_MAX,
  SESSION_METADATA_BYTES_MAX,
  SESSION_NAME_CHARACTERS_MAX,
  TOOL_CALLS_PER_MESSAGE_MAX,
  TTL_SECONDS_MAX,
} from '../../domain/sessions/sessions.ts';
import { anyJson, orShortened } from '../http/common-fields.ts';

/** Sessions as requests and replies show them: docs/sessions.md. */
export const metadataSchema = z
  .record(z.string(), anyJson)
  .refine(
    (value) => jsonBytes(value) <= SESSION_METADATA_BYTES_MAX,
    `must be at most ${SESSION_METADATA_BYTES_MAX} bytes of JSON`,
  );

const name = z.string().trim().min(1).max(SESSION_NAME_CHARACTERS_MAX);
const userId = z.string().min(1).max(200);
const agentId = z.string().min(1).max(60);
const ttlSeconds = z.int().min(1).max(TTL_SECONDS_MAX);

export const createSessionBody = z.strictObject({
  name: name.nullable().default(null),
  userId: userId.nullable().default(null).describe('Whose conversation it is, by your own name for them.'),
  agentId: agentId.nullable().default(null),
  metadata: metadataSchema.nullable().default(null),
  ttlSeconds: ttlSeconds
    .nullable()
    .default(null)
    .describe('It expires so long after its creation, with all its messages. Null: it does not expire.'),
});

export const updateSessionBody = z
  .strictObject({
    name: name.nullable().optional(),
    userId: userId.nullable().optional(),
    agentId: agentId.nullable().optional(),
    metadata: metadataSchema.nullable().optional().describe('Replaces what was there.'),
    ttlSeconds: ttlSeconds.nullable().optional().describe('Counted from now. Null: it does not expire.'),
  })
  .meta({ id: 'UpdateSession' });

export const sessionParams = z.strictObject({
  id: z.string().min(1).max(100).describe('Id of the session, `ses_…`.'),
});

export const listSessionsQuery = z.strictObject({
  userId: userId.optional().describe('The sessions of this user.'),
  agentId: agentId.optional().describe('The sessions of this agent.'),
});

export const listMessagesQuery = z.strictObject({
  order: z.enum(['asc', 'desc']).default('asc').describe('`asc`: as they were said. `desc`: the newest first.'),
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Only what follows the message of this sequence, in the order asked for.'),
});

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    url: z
      .string()
      .max(MESSAGE_BYTES_MAX)
      .regex(
        /^(https:\/\/|data:image\/(png|jpeg|gif|webp);base64,)\S+$/,
        'must be https, or a data URL of a PNG, JPEG, GIF or WebP image',
      ),
  }),
]);

const content = z
  .union([z.string(), z.array(part).min(1).max(PARTS_PER_MESSAGE_MAX).meta({ id: 'MessageParts' })])
  .describe('Text, or parts of text and images.');

const toolCall = z
  .strictObject({
    id: z.string().min(1).max(200),
    name: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be 1 to 128 letters, digits, "_", "." or "-"'),
    arguments: z.record(z.string(), anyJson),
  })
  .meta({ id: 'SessionToolCall' });

const messageFields = {
  role: z.enum(MESSAGE_ROLES),
  content,
  name: z.string().min(1).max(64).nullable().default(null).describe('Who speaks, where several have the same role.'),
  toolCallId: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('For a message of role `tool`, and needed there: the id of the call that it answers.'),
  toolCalls: z
    .array(toolCall)
    .min(1)
    .max(TOOL_CALLS_PER_MESSAGE_MAX)
    .nullable()
    .default(null)
    .describe('For a message of role `assistant`: the calls that the model asked for.'),
  metadata: metadataSchema.nullable().default(null),
};

const newMessage = z
  .strictObject(messageFields)
  .superRefine((message, context) => {
    const refuse = (path: string, text: string): void =>
      context.addIssue({ code: 'custom', path: [path], message: text });
    if (message.role === 'tool' && message.toolCallId === null) refuse('toolCallId', 'is needed with the role tool');
    if (message.role !== 'tool' && message.toolCallId !== null) refuse('toolCallId', 'goes with the role tool only');
    if (message.role !== 'assistant' && message.toolCalls !== null)
      refuse('toolCalls', 'goes with the role assistant only');
    const ids = new Set(message.toolCalls?.map(({ id }) => id));
    if (ids.size !== (message.toolCalls?.length ?? 0)) refuse('toolCalls', 'names an id twice');
    if (jsonBytes(message) > MESSAGE_BYTES_MAX)
      refuse(
        'content',
        `makes the message larger than ${MESSAGE_BYTES_MAX} bytes of JSON: keep it as a file, and name the file`,
      );
  })
  .meta({ id: 'NewSessionMessage' });

export const appendBody = z.strictObject({
  messages: z
    .array(newMessage)
    .min(1)
    .max(MESSAGES_PER_APPEND_MAX)
    .describe('In the order in which they were said. All or none.'),
});

const storedMetadata = z.record(z.string(), anyJson).nullable();
const dateTime = z.iso.datetime();
const count = z.int().min(0);

export const sessionSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['ses_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    name: z.string().nullable(),
    userId: z.string().nullable(),
    agentId: z.string().nullable(),
    metadata: storedMetadata,
    messageCount: count,
    tokenCount: count.describe('The sum over its messages.'),
    expiresAt: dateTime.nullable().describe('It answers 404 from then on.'),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'Session' });

export const listedSessionSchema = sessionSchema
  .extend({ metadata: orShortened(storedMetadata) })
  .meta({ id: 'ListedSession' });

export const messageSchema = z
  .strictObject({
    ...messageFields,
    name: z.string().nullable(),
    toolCallId: z.string().nullable(),
    toolCalls: z.array(toolCall).nullable(),
    metadata: storedMetadata,
    id: z.string().meta({ examples: ['smg_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    sequence: z.int().min(1).describe('Its place in the session. Appends leave no gap, and no number is used twice.'),
    tokens: count.describe('Those of its content and its tool calls, in o200k_base.'),
    createdAt: dateTime,
  })
  .meta({ id: 'SessionMessage' });

export function presentSession(session: SessionRecord): z.input<typeof sessionSchema> {
  return {
    ...session,
    expiresAt: session.expiresAt?.toISOString() ?? null,
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
  };
}

export function presentMessage(message: SessionMessageRecord): z.input<typeof messageSchema> {
  return { ...message, createdAt: message.createdAt.toISOString() };
}
