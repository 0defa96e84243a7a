import type { Json, JsonObject } from '../json.ts';
import { type ContextContent, legalToolName, memoryText, partsOf, textOfMessage } from './parts.ts';
import { type ContextMessage, messagesOf } from './units.ts';

/** OpenAI takes a `name` of these characters, and refuses others. */
const SPEAKER = /^[^\s<|\\/>]{1,64}$/;

/** Messages for OpenAI's Chat Completions: results follow their calls at once, as that API demands. */
export function renderOpenAi({ system, memories, units }: ContextContent): Json[] {
  const known = memoryText(memories);
  return [
    ...system.map(rendered),
    ...(known === '' ? [] : [{ role: 'system', content: known }]),
    ...units.flatMap(messagesOf).map(rendered),
  ];
}

function rendered(message: ContextMessage): JsonObject {
  const { role, name, toolCallId, toolCalls } = message;
  const text = role === 'user' ? null : textOfMessage(message);
  return {
    role,
    ...(name !== null && role !== 'tool' && SPEAKER.test(name) ? { name } : {}),
    ...(toolCallId === null ? {} : { tool_call_id: toolCallId }),
    // Only a user's message holds images. An assistant that only calls has no content.
    content: text === null ? userContent(message) : text === '' && toolCalls !== null ? null : text,
    ...(toolCalls === null
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: legalToolName(call.name), arguments: JSON.stringify(call.arguments) },
          })),
        }),
  };
}

function userContent(message: ContextMessage): Json {
  if (typeof message.content === 'string') return message.content;
  return partsOf(message).map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } },
  );
}
