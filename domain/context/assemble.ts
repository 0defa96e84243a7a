import type { Json } from '../json.ts';
import { renderAnthropic } from './anthropic.ts';
import { renderOpenAi } from './openai.ts';
import type { ContextContent, ContextMemory } from './parts.ts';
import { renderText } from './text.ts';
import { type ContextMessage, messagesOf, type Unit, unitsOf } from './units.ts';

export const CONTEXT_FORMATS = ['openai', 'anthropic', 'text'] as const;
export type ContextFormat = (typeof CONTEXT_FORMATS)[number];

export const MAX_TOKENS_DEFAULT = 4_000;
/** What the largest context windows take. */
export const MAX_TOKENS_MAX = 1_000_000;
/** An empty context takes some tokens of its own. */
export const MAX_TOKENS_MIN = 16;

export interface ContextRequest {
  format: ContextFormat;
  maxTokens: number;
  /** In their order. Older ones that cannot fit may be missing; system messages may not. */
  messages: readonly ContextMessage[];
  /** All messages of the session, also those that are missing. */
  messageCount: number;
  /** The best first. */
  memories: readonly ContextMemory[];
}

/** Exactly the members of the format. */
export type RenderedContext =
  | { format: 'openai'; messages: Json[] }
  | { format: 'anthropic'; system: string; messages: Json[] }
  | { format: 'text'; text: string };

export interface Included {
  source: 'session' | 'memory';
  id: string;
  tokens: number;
  /** Null for a message. */
  score: number | null;
}

export type AssembledContext =
  | { fits: false; neededTokens: number }
  | {
      fits: true;
      context: RenderedContext;
      tokens: number;
      included: Included[];
      dropped: { messages: number; memories: number };
    };

type CountTokens = (text: string) => number;

/**
 * A context within its budget. System messages are in it, or there is none. Then come memories, the best first, and the newest messages,
 * without a gap: a conversation with a hole would mislead. Beside a session, memories take at most half of what the system messages leave.
 *
 * The budget counts the very text that is sent on: for a format of messages their JSON, which has more tokens than what a model makes of
 * them. Guesses choose what is tried first; only a count of the whole decides.
 */
export function assembleContext(request: ContextRequest, count: CountTokens): AssembledContext {
  const { format, maxTokens } = request;
  const system = request.messages.filter(({ role }) => role === 'system');
  const units = unitsOf(request.messages);
  const tokensOf = (content: ContextContent): number => count(textOf(render(format, content)));
  let content: ContextContent = { system, memories: [], units: [], isCut: units.length > 0 };
  const neededTokens = tokensOf(content);
  if (neededTokens > maxTokens) return { fits: false, neededTokens };

  const left = maxTokens - neededTokens;
  const forMemories = neededTokens + (units.length === 0 ? left : Math.floor(left / 2));
  const guessed = firstFitting(request.memories, forMemories - neededTokens, (memory) => count(memory.content));
  const remembered = largestFitting(request.memories.length, guessed, (number) => {
    return tokensOf({ ...content, memories: request.memories.slice(0, number) }) <= forMemories;
  });
  content = { ...content, memories: request.memories.slice(0, remembered) };

  const newest = (number: number): ContextContent => ({
    ...content,
    units: number === 0 ? [] : units.slice(-number),
    isCut: number < units.length,
  });
  const guess = firstFitting(units.toReversed(), left, (unit) => guessedTokens(format, unit));
  const kept = newest(largestFitting(units.length, guess, (number) => tokensOf(newest(number)) <= maxTokens));
  return { fits: true, context: render(format, kept), tokens: tokensOf(kept), ...accountOf(request, kept, count) };
}

/** What a message takes beside its own tokens, about. */
const FRAME_TOKENS: Record<ContextFormat, number> = { openai: 9, anthropic: 14, text: 3 };

function guessedTokens(format: ContextFormat, unit: Unit): number {
  return messagesOf(unit).reduce((sum, { tokens }) => sum + tokens + FRAME_TOKENS[format], 0);
}

/** How many of them, from the first, have costs that fit together. */
function firstFitting<One>(all: readonly One[], budget: number, costOf: (one: One) => number): number {
  let left = budget;
  const end = all.findIndex((one) => (left -= costOf(one)) < 0);
  return end === -1 ? all.length : end;
}

/**
 * The largest number up to `most` that fits; none always does. It begins at a guess and takes steps that double, since a guess is mostly
 * right within one or two, and each look counts the tokens of a whole context.
 */
function largestFitting(most: number, guess: number, fits: (number: number) => boolean): number {
  let fitting = 0;
  let tooMany = most + 1;
  let at = Math.min(Math.max(guess, 1), most);
  for (let step = 1; tooMany - fitting > 1; step *= 2) {
    if (fits(at)) {
      fitting = at;
      at += step;
    } else {
      tooMany = at;
      at -= step;
    }
    if (at <= fitting || at >= tooMany) at = Math.floor((fitting + tooMany) / 2);
  }
  return fitting;
}

function render(format: ContextFormat, content: ContextContent): RenderedContext {
  switch (format) {
    case 'openai':
      return { format, messages: renderOpenAi(content) };
    case 'anthropic':
      return { format, ...renderAnthropic(content) };
    case 'text':
      return { format, text: renderText(content) };
  }
}

/** The text whose tokens are counted. */
export function textOf(context: RenderedContext): string {
  if (context.format === 'text') return context.text;
  if (context.format === 'openai') return JSON.stringify(context.messages);
  return JSON.stringify({ system: context.system, messages: context.messages });
}

function accountOf(
  { messageCount, memories }: ContextRequest,
  content: ContextContent,
  count: CountTokens,
): { included: Included[]; dropped: { messages: number; memories: number } } {
  const messages = [...content.system, ...content.units.flatMap(messagesOf)];
  return {
    included: [
      ...content.system.map(fromSession),
      ...content.memories.map(({ id, score, content: text }) => ({
        source: 'memory' as const,
        id,
        tokens: count(text),
        score,
      })),
      ...content.units.flatMap(messagesOf).map(fromSession),
    ],
    dropped: { messages: messageCount - messages.length, memories: memories.length - content.memories.length },
  };
}

function fromSession({ id, tokens }: ContextMessage): Included {
  return { source: 'session', id, tokens, score: null };
}
