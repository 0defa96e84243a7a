import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assembleContext, CONTEXT_FORMATS, type ContextFormat, textOf } from '../../../domain/context/assemble.ts';
import type { ContextMemory } from '../../../domain/context/parts.ts';
import type { ContextMessage } from '../../../domain/context/units.ts';
import { countedTexts } from '../../../domain/sessions/sessions.ts';
import { countTokens } from '../../../domain/sessions/o200k.ts';
import { anthropicIssues, openAiIssues } from './legal.ts';

/** Contexts of random sessions: what must hold of every one of them. */
const RUNS = 1_000;
/** The same sessions each time. */
const SEED = 16;

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

const asked = fc.record({
  format: fc.constantFrom<ContextFormat[]>(...CONTEXT_FORMATS),
  maxTokens: fc.oneof(
    fc.integer({ min: 16, max: 40 }),
    fc.integer({ min: 50, max: 300 }),
    fc.integer({ min: 300, max: 4_000 }),
  ),
  messages: session,
  memories,
});

test(`over ${RUNS} random sessions: within the budget, calls with their results, what must stay, no gap, all accounted for`, () => {
  const seen = { fits: 0, cut: 0, refused: 0, withCalls: 0 };
  fc.assert(
    fc.property(asked, (given) => {
      const system = given.messages.filter(({ role }) => role === 'system').map(({ id }) => id);
      const answer = assembleContext({ ...given, messageCount: given.messages.length }, countTokens);
      if (!answer.fits) {
        seen.refused++;
        return answer.neededTokens > given.maxTokens;
      }
      const { context, tokens, included, dropped } = answer;
      expect(tokens).toBe(countTokens(textOf(context)));
      expect(tokens).toBeLessThanOrEqual(given.maxTokens);
      const ids = included.filter(({ source }) => source === 'session').map(({ id }) => id);
      expect(ids.slice(0, system.length)).toEqual(system);
      expect(dropped.messages).toBe(given.messages.length - new Set(ids).size);
      expect(dropped.memories).toBe(given.memories.length - (included.length - ids.length));
      const whole = completeUnits(given.messages);
      expect(ids.slice(system.length)).toEqual(whole.slice(whole.length - unitsIn(ids, whole)).flat());
      expect(context.format === 'openai' ? openAiIssues(context.messages) : []).toEqual([]);
      expect(context.format === 'anthropic' ? anthropicIssues(context.messages) : []).toEqual([]);
      seen.fits++;
      if (dropped.messages > 0) seen.cut++;
      if (whole.some((unit) => unit.length > 1 && ids.includes(unit[0] ?? ''))) seen.withCalls++;
      return true;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  // The sessions are such that each of these happens often; otherwise the property would hold of nothing.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(RUNS / 100);
});

/** A model of its own of which messages belong together, message by message: each result looks back for its call. */
function completeUnits(messages: readonly ContextMessage[]): string[][] {
  const answerOf = new Map<string, string[]>();
  const open = new Map<string, Set<string>>();
  for (const [index, message] of messages.entries()) {
    if (message.toolCalls !== null) open.set(message.id, new Set(message.toolCalls.map(({ id }) => id)));
    if (message.role !== 'tool') continue;
    const call = messages.slice(0, index).findLast(({ id }) => open.get(id)?.has(message.toolCallId ?? '') === true);
    if (call === undefined) continue;
    open.get(call.id)?.delete(message.toolCallId ?? '');
    answerOf.set(call.id, [...(answerOf.get(call.id) ?? []), message.id]);
  }
  return messages
    .filter(({ role, id }) => (role === 'user' || role === 'assistant') && (open.get(id)?.size ?? 0) === 0)
    .map(({ id }) => [id, ...(answerOf.get(id) ?? [])]);
}

const unitsIn = (ids: readonly string[], units: readonly string[][]): number =>
  units.filter(([first]) => ids.includes(first ?? '')).length;

const message = (role: ContextMessage['role'], text: string, more: Partial<ContextMessage> = {}): ContextMessage => ({
  id: text,
  role,
  content: text,
  name: null,
  toolCallId: null,
  toolCalls: null,
  tokens: countTokens(text),
  ...more,
});
const assemble = (
  format: ContextFormat,
  messages: ContextMessage[],
  maxTokens = 4_000,
  known: ContextMemory[] = [],
) => {
  const answer = assembleContext(
    { format, maxTokens, messages, messageCount: messages.length, memories: known },
    countTokens,
  );
  if (!answer.fits) throw new Error(`it needs ${answer.neededTokens}`);
  return answer;
};

describe('formats', () => {
  const CONVERSATION = [
    message('user', 'Hi'),
    message('system', 'Be brief.'),
    message('assistant', 'Looking.', { toolCalls: [{ id: 'call:1', name: 'shop.find', arguments: { q: 7 } }] }),
    message('user', 'Hurry!'),
    message('tool', 'Found.', { toolCallId: 'call:1' }),
  ];

  test('openai: system first, a memory as what the system knows, results at once behind their call', () => {
    const { context } = assemble('openai', CONVERSATION, 4_000, [{ id: 'mem', content: 'Likes tea.', score: 1 }]);
    expect(context).toEqual({
      format: 'openai',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'system', content: 'What is known from earlier:\n- Likes tea.' },
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [{ id: 'call:1', type: 'function', function: { name: 'shop_find', arguments: '{"q":7}' } }],
        },
        { role: 'tool', tool_call_id: 'call:1', content: 'Found.' },
        { role: 'user', content: 'Hurry!' },
      ],
    });
  });

  test('anthropic: turns alternate, results are the first blocks of the next turn, ids and names are legal', () => {
    const { context } = assemble('anthropic', CONVERSATION);
    expect(context).toEqual({
      format: 'anthropic',
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'call_1', name: 'shop_find', input: { q: 7 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'Found.' }] },
            { type: 'text', text: 'Hurry!' },
          ],
        },
      ],
    });
  });

  test('text: a paragraph for each', () => {
    const { context } = assemble('text', CONVERSATION.slice(0, 3).concat(CONVERSATION.slice(4)));
    expect(context).toEqual({
      format: 'text',
      text: 'system: Be brief.\n\nuser: Hi\n\nassistant: Looking.\ncalls shop.find({"q":7}) [call:1]\n\ntool [call:1]: Found.',
    });
  });

  test('anthropic: where the first turn kept is the assistant’s, a mark says what stands before it', () => {
    const greeting = assemble('anthropic', [message('assistant', 'Welcome!')]).context;
    expect(JSON.stringify(greeting)).toContain('[The conversation begins.]');
    const long = [message('user', 'word '.repeat(500)), message('assistant', 'Done.'), message('user', 'Thanks')];
    const cut = assemble('anthropic', long, 100);
    expect(JSON.stringify(cut.context)).toContain('[Earlier messages were left out.]');
    expect(cut.dropped).toEqual({ messages: 1, memories: 0 });
  });

  test('images go where the API takes them', () => {
    const url = 'https://example.com/a.png';
    const seen = [{ ...message('user', 'see'), content: [{ type: 'image' as const, url }] }];
    expect(assemble('openai', seen).context).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });
    expect(assemble('anthropic', seen).context).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
    });
  });
});

test('memories take at most half of what is left beside a session, and the rest says so', () => {
  const known = Array.from({ length: 20 }, (_, index) => ({
    id: `mem${index}`,
    content: 'word '.repeat(40),
    score: 1 - index / 20,
  }));
  const said = Array.from({ length: 20 }, (_, index) => ({ ...message('user', 'word '.repeat(40)), id: `m${index}` }));
  const { included, dropped, tokens } = assemble('openai', said, 1_000, known);
  const remembered = included.filter(({ source }) => source === 'memory');
  expect(remembered.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(500);
  expect(remembered.length).toBeGreaterThan(5);
  expect(remembered[0]).toMatchObject({ id: 'mem0', score: 1 });
  expect(included.filter(({ source }) => source === 'session').length).toBeGreaterThan(5);
  expect(dropped).toEqual({ messages: 20 - (included.length - remembered.length), memories: 20 - remembered.length });
  expect(tokens).toBeGreaterThan(900);
});
