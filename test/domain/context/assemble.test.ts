import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderAnthropic } from '../../../domain/context/anthropic.ts';
import {
  type AssembledContext,
  assembleContext,
  type ContextRequest,
  textOf,
} from '../../../domain/context/assemble.ts';
import { MESSAGE_BYTES, NewestUnits } from '../../../domain/context/newest-units.ts';
import { renderOpenAi } from '../../../domain/context/openai.ts';
import { renderText } from '../../../domain/context/text.ts';
import { type ContextMessage, messagesOf, type Unit } from '../../../domain/context/units.ts';
import { countTokens } from '../../../domain/sessions/o200k.ts';
import { anthropicIssues, openAiIssues } from './legal.ts';
import { asked, completeUnits } from './random-sessions.ts';

/** Contexts of random sessions: what must hold of every one of them. */
const RUNS = 1_000;
/** The same sessions each time. */
const SEED = 16;

type Asked = Omit<ContextRequest, 'messageCount' | 'isWhole'>;
type Fitting = Extract<AssembledContext, { fits: true }>;

test(`over ${RUNS} random sessions: within the budget, calls with their results, what must stay, no gap, all accounted for, and nothing more fits`, () => {
  const seen = { fits: 0, cut: 0, refused: 0, withCalls: 0, forgetful: 0 };
  fc.assert(
    fc.property(asked, (given) => {
      const system = given.messages.filter(({ role }) => role === 'system').map(({ id }) => id);
      const answer = assembleContext({ ...given, messageCount: given.messages.length, isWhole: true }, countTokens);
      if (!answer.fits) {
        seen.refused++;
        return answer.neededTokens > given.maxTokens && answer.neededTokens === tokensOf(given, 0, []);
      }
      const { context, tokens, included, dropped } = answer;
      expect(tokens).toBe(countTokens(textOf(context)));
      expect(tokens).toBeLessThanOrEqual(given.maxTokens);
      const ids = included.filter(({ source }) => source === 'session').map(({ id }) => id);
      expect(ids.slice(0, system.length)).toEqual(system);
      expect(dropped.messages).toBe(given.messages.length - new Set(ids).size);
      expect(dropped.memories).toBe(given.memories.length - (included.length - ids.length));
      const whole = completeUnits(given.messages);
      const kept = whole.filter(({ message: { id } }) => ids.includes(id)).length;
      const newest = whole.slice(whole.length - kept).flatMap((unit) => messagesOf(unit).map(({ id }) => id));
      expect(ids.slice(system.length)).toEqual(newest);
      expect(whatElseFits(given, answer, whole, kept)).toEqual([]);
      expect(context.format === 'openai' ? openAiIssues(context.messages) : []).toEqual([]);
      expect(context.format === 'anthropic' ? anthropicIssues(context.messages) : []).toEqual([]);
      seen.fits++;
      if (dropped.messages > 0) seen.cut++;
      if (dropped.memories > 0) seen.forgetful++;
      if (whole.some(({ message: { id }, results }) => results.length > 0 && ids.includes(id))) seen.withCalls++;
      return true;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  // The sessions are such that each of these happens often; otherwise the property would hold of nothing.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(RUNS / 100);
});

/** Looks for what could be in the context beside what is: any larger number of the newest messages, or one more memory. */
function whatElseFits(given: Asked, answer: Fitting, whole: readonly Unit[], kept: number): string[] {
  const remembered = given.memories.length - answer.dropped.memories;
  const withUnits = (memories: number, newest: number) =>
    tokensOf(given, memories, newest === 0 ? [] : whole.slice(-newest), newest < whole.length);
  const larger = Array.from({ length: whole.length - kept }, (_, index) => kept + index + 1);
  const issues = larger
    .filter((newest) => withUnits(remembered, newest) <= given.maxTokens)
    .map((newest) => `${newest} messages fit, and ${kept} are there`);
  if (remembered === given.memories.length) return issues;
  const needed = withUnits(0, 0);
  const more = withUnits(remembered + 1, 0);
  const isInShare = more <= needed + (given.maxTokens - needed) / 2;
  // A memory gives way to the last turn: the newest message, or the newest ones since the user's.
  const sinceUser = whole.length - whole.findLastIndex(({ message: { role } }) => role === 'user');
  const lastTurn = [1, sinceUser].find((last) => last <= whole.length && withUnits(0, last) <= given.maxTokens);
  if (lastTurn === undefined && more <= given.maxTokens) issues.push('a memory fits where no message does');
  if (lastTurn !== undefined && isInShare && withUnits(remembered + 1, lastTurn) <= given.maxTokens) {
    issues.push('a memory of their half fits beside the last turn');
  }
  return issues;
}

function tokensOf({ format, messages, memories }: Asked, best: number, units: readonly Unit[], isCut = false): number {
  const system = messages.filter(({ role }) => role === 'system');
  const content = { system, memories: memories.slice(0, best), units, isCut };
  if (format === 'text') return countTokens(renderText(content));
  return countTokens(JSON.stringify(format === 'openai' ? renderOpenAi(content) : renderAnthropic(content)));
}

test('what is read of a session makes the context that the whole session makes, or says that more must be read', () => {
  const seen = { less: 0, more: 0 };
  fc.assert(
    fc.property(asked, (given) => {
      const messageCount = given.messages.length;
      const ofAll = assembleContext({ ...given, messageCount, isWhole: true }, countTokens);
      const { isFull, sequences } = read(given.messages, given.maxTokens);
      const messages = given.messages.filter(({ role }, index) => role === 'system' || sequences.includes(index));
      const ofRead = assembleContext({ ...given, messages, messageCount, isWhole: !isFull }, countTokens);
      if (isFull && ofRead.fits && !ofRead.isFull) {
        seen.more++;
        return;
      }
      expect(ofRead).toEqual(ofAll);
      if (isFull) seen.less++;
    }),
    { numRuns: RUNS, seed: SEED },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});

test('everything that is in a unit is chosen where the allowance is large', () => {
  fc.assert(
    fc.property(asked, ({ messages }) => {
      const { sequences } = read(messages, 1_000_000);
      const inUnits = completeUnits(messages).flatMap((unit) => messagesOf(unit).map((one) => messages.indexOf(one)));
      expect(sequences.toSorted((a, b) => a - b)).toEqual(inUnits.toSorted((a, b) => a - b));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test('what no context holds takes nothing of the allowance', () => {
  const newest = new NewestUnits({ allowance: 10, bytesMax: 1_000, outlinesMax: 100 });
  const outline = { role: 'user' as const, tokens: 1, bytes: 10, toolCallId: null, callIds: null };
  newest.add({ ...outline, sequence: 4, role: 'tool', tokens: 5_000, bytes: 5_000, toolCallId: 'popped' });
  newest.add({ ...outline, sequence: 3, role: 'assistant', tokens: 5_000, callIds: ['unanswered'] });
  newest.add({ ...outline, sequence: 2 });
  newest.add({ ...outline, sequence: 1 });
  expect(newest).toMatchObject({ sequences: [2, 1], isFull: false });
});

test('a unit is not chosen where it exceeds the bytes, with its results, and nothing older is', () => {
  const newest = new NewestUnits({ allowance: 1_000, bytesMax: 100 + 3 * MESSAGE_BYTES, outlinesMax: 100 });
  const outline = { role: 'user' as const, tokens: 1, bytes: 40, toolCallId: null, callIds: null };
  newest.add({ ...outline, sequence: 5 });
  newest.add({ ...outline, sequence: 4, role: 'tool', toolCallId: 'a' });
  newest.add({ ...outline, sequence: 3, role: 'assistant', callIds: ['a'] });
  newest.add({ ...outline, sequence: 2 });
  expect(newest).toMatchObject({ sequences: [5], isFull: true, isCut: true });
});

const EMPTY = { role: 'user' as const, tokens: 0, bytes: 2, toolCallId: null, callIds: null };

test('empty messages take bytes too: any number of them is no small job', () => {
  const newest = new NewestUnits({ allowance: 1_000_000, bytesMax: 10 * (MESSAGE_BYTES + 2), outlinesMax: 1_000 });
  for (let sequence = 20; sequence > 0; sequence--) newest.add({ ...EMPTY, sequence });
  expect(newest).toMatchObject({ isCut: true });
  expect(newest.sequences).toHaveLength(10);
});

test('as many messages are looked at as may be, also where no context could hold them; the last of them is no cut', () => {
  const bounds = { allowance: 1_000, bytesMax: 10_000, outlinesMax: 5 };
  const orphan = { ...EMPTY, role: 'tool' as const, toolCallId: 'popped' };
  const newest = new NewestUnits(bounds);
  for (let sequence = 6; sequence > 2; sequence--) newest.add({ ...orphan, sequence });
  newest.add({ ...EMPTY, sequence: 2 });
  expect(newest).toMatchObject({ sequences: [2], isFull: false, isCut: false });
  newest.add({ ...EMPTY, sequence: 1 });
  expect(newest).toMatchObject({ sequences: [2], isFull: true, isCut: true });
});

/** An assistant's turn, whose mark does not fit within the budget, behind a user's message and many that are empty. */
function behindEmptyOnes(count: number): { messages: ContextMessage[]; maxTokens: number } {
  const message = { name: null, toolCallId: null, toolCalls: null, tokens: 0 };
  const messages: ContextMessage[] = [
    { ...message, id: 'first', role: 'user', content: 'Hi' },
    ...Array.from({ length: count }, (_, index) => ({
      ...message,
      id: `empty${index}`,
      role: 'user' as const,
      content: '',
    })),
    { ...message, id: 'last', role: 'assistant', content: 'Hello', tokens: 1 },
  ];
  const units = completeUnits(messages);
  const given: Asked = { format: 'anthropic', maxTokens: 0, memories: [], messages };
  return { messages, maxTokens: tokensOf(given, 0, units) };
}

test('messages that take nothing in a format cost no look each, and hide nothing that fits behind them', () => {
  const { messages, maxTokens } = behindEmptyOnes(2_000);
  let looks = 0;
  const count = (text: string): number => {
    looks++;
    return countTokens(text);
  };
  const request = { format: 'anthropic' as const, maxTokens, memories: [], messages, messageCount: messages.length };
  const answer = assembleContext({ ...request, isWhole: true }, count);
  expect(answer).toMatchObject({ fits: true, dropped: { messages: 0 }, tokens: maxTokens });
  const tight = assembleContext({ ...request, maxTokens: maxTokens - 1, isWhole: true }, count);
  expect(tight).toMatchObject({ fits: true, dropped: { messages: messages.length } });
  expect(looks).toBeLessThan(60);
});

test('the mark of a whole conversation may fit where that of what was left out does not', () => {
  const { messages } = behindEmptyOnes(3);
  const given: Asked = { format: 'anthropic', maxTokens: 0, memories: [], messages: messages.slice(1) };
  const maxTokens = tokensOf(given, 0, completeUnits(given.messages));
  const request = { ...given, maxTokens, messageCount: 4, isWhole: true };
  expect(assembleContext(request, countTokens)).toMatchObject({ fits: true, dropped: { messages: 0 } });
});

function read(messages: readonly ContextMessage[], allowance: number): NewestUnits {
  const newest = new NewestUnits({ allowance, bytesMax: Infinity, outlinesMax: Infinity });
  for (const [sequence, { role, tokens, toolCallId, toolCalls }] of [...messages.entries()].toReversed()) {
    newest.add({ sequence, role, tokens, bytes: 1, toolCallId, callIds: toolCalls?.map(({ id }) => id) ?? null });
  }
  return newest;
}
