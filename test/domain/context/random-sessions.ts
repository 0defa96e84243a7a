import * as fc from 'fast-check';
import { CONTEXT_FORMATS, type ContextFormat } from '../../../domain/context/assemble.ts';
import type { ContextMemory } from '../../../domain/context/parts.ts';
import type { ContextMessage, Unit } from '../../../domain/context/units.ts';
import { countTokens } from '../../../domain/sessions/o200k.ts';
import { countedTexts } from '../../../domain/sessions/sessions.ts';

/** Random sessions, and what is asked of them. */
const words = fc.array(
  fc.constantFrom('order', ' 4711', ' was', '\n', ' "shipped"', ' Zürich', ' 東京', '', ' ', '🙂'),
  { maxLength: 30 },
);
const content = words.map((parts) => parts.join(''));
/** Few ids, so that they are used again, answered late, twice, or never. */
const callId = fc.constantFrom('c1', 'c2', 'c3', 'call:4');

type Said = Pick<ContextMessage, 'role' | 'content' | 'toolCallId' | 'toolCalls'>;
const plain = (role: 'system' | 'user' | 'assistant') =>
  content.map((text): Said => ({ role, content: text, toolCallId: null, toolCalls: null }));
/** An image counts as its URL does, and is only named where an image cannot stand. */
const pictured = fc.constantFrom('user' as const, 'assistant' as const).map((role): Said => ({
  role,
  content: [{ type: 'image', url: `data:image/png;base64,${'iVBORw0KGgo'.repeat(20)}` }],
  toolCallId: null,
  toolCalls: null,
}));
const calls = fc.tuple(content, fc.uniqueArray(callId, { minLength: 1, maxLength: 3 })).map(([text, ids]): Said => ({
  role: 'assistant',
  content: text,
  toolCallId: null,
  toolCalls: ids.map((id) => ({ id, name: 'shop.find', arguments: { q: text } })),
}));
const result = fc
  .tuple(content, callId)
  .map(([text, id]): Said => ({ role: 'tool', content: text, toolCallId: id, toolCalls: null }));

const session = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: plain('system') },
      { weight: 4, arbitrary: plain('user') },
      { weight: 3, arbitrary: plain('assistant') },
      { weight: 1, arbitrary: pictured },
      { weight: 3, arbitrary: calls },
      { weight: 5, arbitrary: result },
    ),
    { maxLength: 40 },
  )
  .map((said) =>
    said.map((message, index): ContextMessage => ({
      ...message,
      id: `m${index}`,
      name: null,
      tokens: countedTexts(message).reduce((sum, text) => sum + countTokens(text), 0),
    })),
  );
const memories = fc
  .array(content, { maxLength: 5 })
  .map((all) => all.map((text, index): ContextMemory => ({ id: `mem${index}`, content: text, score: 1 - index / 10 })));

export const asked = fc.record({
  format: fc.constantFrom<ContextFormat[]>(...CONTEXT_FORMATS),
  maxTokens: fc.oneof(
    fc.integer({ min: 16, max: 40 }),
    fc.integer({ min: 50, max: 300 }),
    fc.integer({ min: 300, max: 4_000 }),
  ),
  messages: session,
  memories,
});

/** A model of its own of which messages belong together, message by message: each result looks back for its call. */
export function completeUnits(messages: readonly ContextMessage[]): Unit[] {
  const answerOf = new Map<string, ContextMessage[]>();
  const open = new Map<string, Set<string>>();
  for (const [index, message] of messages.entries()) {
    if (message.toolCalls !== null) open.set(message.id, new Set(message.toolCalls.map(({ id }) => id)));
    if (message.role !== 'tool') continue;
    const call = messages.slice(0, index).findLast(({ id }) => open.get(id)?.has(message.toolCallId ?? '') === true);
    if (call === undefined) continue;
    open.get(call.id)?.delete(message.toolCallId ?? '');
    answerOf.set(call.id, [...(answerOf.get(call.id) ?? []), message]);
  }
  return messages
    .filter(({ role, id }) => (role === 'user' || role === 'assistant') && (open.get(id)?.size ?? 0) === 0)
    .map((message) => ({ message, results: answerOf.get(message.id) ?? [] }));
}
