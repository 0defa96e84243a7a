import { describe, expect, test } from 'vitest';
import { assembleContext, type ContextFormat } from '../../../domain/context/assemble.ts';
import type { ContextMemory } from '../../../domain/context/parts.ts';
import type { ContextMessage } from '../../../domain/context/units.ts';
import { countTokens } from '../../../domain/sessions/o200k.ts';

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
    { format, maxTokens, messages, messageCount: messages.length, isWhole: true, memories: known },
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

test('memories give way to the last turn, and take all where no message fits', () => {
  const known = Array.from({ length: 20 }, (_, index) => ({
    id: `mem${index}`,
    content: 'word '.repeat(40),
    score: 1,
  }));
  const large = assemble('openai', [message('user', 'word '.repeat(700))], 1_000, known);
  expect(large.dropped.messages).toBe(0);
  expect(large.dropped.memories).toBeGreaterThan(12);
  expect(large.dropped.memories).toBeLessThan(20);
  const tooLarge = assemble('openai', [message('user', 'word '.repeat(2_000))], 1_000, known);
  expect(tooLarge.dropped).toEqual({ messages: 1, memories: 0 });
});

test('a short turn of the user’s is not left out for the mark that stands where it is missing', () => {
  const said = [message('user', 'Hi'), message('assistant', 'Done.'), message('assistant', 'And more.')];
  const whole = assemble('anthropic', said);
  const exact = assemble('anthropic', said, whole.tokens);
  expect(exact.dropped.messages).toBe(0);
});
