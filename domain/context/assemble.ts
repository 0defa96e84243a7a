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
/** Bounds of what one context reads of a session. A token may be 128 spaces: tokens alone bound no bytes. */
export const CONTEXT_BYTES_MAX = 8 * 1024 * 1024;
/** An empty context takes some tokens of its own. */
export const MAX_TOKENS_MIN = 16;

export interface ContextRequest {
  format: ContextFormat;
  maxTokens: number;
  /** In their order. Older ones may be missing; system messages may not. */
  messages: readonly ContextMessage[];
  /** No older message that could be in a context is missing. */
  isWhole: boolean;
  /** All messages of the session, also those that are missing. */
  messageCount: number;
  /** The best first. */
  memories: readonly ContextMemory[];
}

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
      /** One of the messages did not fit, so no older one can. False: all are in it, and older ones that are missing might fit too. */
      isFull: boolean;
    };

type CountTokens = (text: string) => number;

/**
 * A context within its budget. All system messages, then the best memories within their share, then the newest messages
 * without a gap: a conversation with a hole would mislead. Nothing more would fit. The budget counts the very text that
 * is sent on, for a format of messages their JSON. Guesses choose what is tried first; only a count of the whole
 * decides.
 */
export function assembleContext(request: ContextRequest, count: CountTokens): AssembledContext {
  const units = unitsOf(request.messages);
  const whole = new Whole(request, units, count);
  const neededTokens = whole.tokens(0, 0);
  if (neededTokens > request.maxTokens) return { fits: false, neededTokens };
  const memories = fittingMemories(request, whole, count);
  const newest = fittingUnits(request, whole, memories);
  const kept = whole.content(memories, newest);
  return {
    fits: true,
    context: render(request.format, kept),
    tokens: whole.tokens(memories, newest),
    ...accountOf(request, kept, count),
    isFull: newest < units.length,
  };
}

/** Contexts of the best memories and the newest units: how many of each is what is looked for. Each is counted once. */
class Whole {
  readonly units: readonly Unit[];
  readonly #request: ContextRequest;
  readonly #system: readonly ContextMessage[];
  readonly #count: CountTokens;
  readonly #counted = new Map<string, number>();

  constructor(request: ContextRequest, units: readonly Unit[], count: CountTokens) {
    this.units = units;
    this.#request = request;
    this.#system = request.messages.filter(({ role }) => role === 'system');
    this.#count = count;
  }

  content(memories: number, newest: number): ContextContent {
    return {
      system: this.#system,
      memories: this.#request.memories.slice(0, memories),
      units: newest === 0 ? [] : this.units.slice(-newest),
      isCut: newest < this.units.length || !this.#request.isWhole,
    };
  }

  tokens(memories: number, newest: number): number {
    const key = `${memories} ${newest}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return known;
    const tokens = this.#count(textOf(render(this.#request.format, this.content(memories, newest))));
    this.#counted.set(key, tokens);
    return tokens;
  }
}

/** Beside a message, memories get half of what system messages leave at most, and never the last turn's place. */
function fittingMemories({ maxTokens, memories }: ContextRequest, whole: Whole, count: CountTokens): number {
  if (memories.length === 0) return 0;
  const neededTokens = whole.tokens(0, 0);
  const lastTurn = lastTurns(whole.units).find((newest) => whole.tokens(0, newest) <= maxTokens) ?? 0;
  const share = lastTurn === 0 ? maxTokens : neededTokens + Math.floor((maxTokens - neededTokens) / 2);
  const guess = firstFitting(memories, share - neededTokens, (memory) => count(memory.content));
  return largestFitting(memories.length, guess, (number) => {
    return whole.tokens(number, 0) <= share && whole.tokens(number, lastTurn) <= maxTokens;
  });
}

/** How many units the last turn may be: the newest alone, or all since a user spoke, before which no mark has to stand. */
function lastTurns(units: readonly Unit[]): number[] {
  const sinceUser = units.toReversed().findIndex(({ message }) => message.role === 'user') + 1;
  return [1, sinceUser].filter((newest) => newest >= 1 && newest <= units.length);
}

/** More than what the marks of Anthropic's format take, and what joins them to a turn. */
const MARK_TOKENS_MAX = 40;

/**
 * The mark before an assistant's turn is dropped when the user's turn before it is included, so more messages may fit where fewer do not.
 * The search for more ends within a few looks, because the messages it looks at take tokens, and those that take none change nothing.
 */
function fittingUnits({ format, maxTokens }: ContextRequest, whole: Whole, memories: number): number {
  const { units } = whole;
  const left = maxTokens - whole.tokens(memories, 0);
  const guess = firstFitting(units.toReversed(), left, (unit) => guessedTokens(format, unit));
  let fitting = largestFitting(units.length, guess, (number) => whole.tokens(memories, number) <= maxTokens);
  const most = format === 'anthropic' ? units.length : fitting;
  let tokens = whole.tokens(memories, fitting);
  for (let more = fitting + 1; more <= most; more++) {
    // With all units the mark is another one.
    if (more === most || !isUnseen(format, units.at(-more))) tokens = whole.tokens(memories, more);
    if (tokens > maxTokens + MARK_TOKENS_MAX) break;
    if (tokens <= maxTokens) fitting = more;
  }
  return fitting;
}

/** Whether nothing of it stands in this format, as of an empty message in Anthropic's. */
function isUnseen(format: ContextFormat, unit: Unit | undefined): boolean {
  if (format !== 'anthropic' || unit === undefined) return false;
  return renderAnthropic({ system: [], memories: [], units: [unit], isCut: false }).messages.length === 0;
}

/** An estimate of the tokens that a message takes beside its own. */
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

/** The largest number up to `most` that fits; none always does. Begins at a guess: each look counts all tokens. */
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
