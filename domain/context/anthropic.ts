import type { Json, JsonObject } from '../json.ts';
import type { MessagePart } from '../sessions/sessions.ts';
import { type ContextContent, imageMark, legalToolName, memoryText, partsOf, textOfMessage } from './parts.ts';
import type { ContextMessage, Unit } from './units.ts';

export interface AnthropicContext {
  system: string;
  messages: { role: 'user' | 'assistant'; content: Json[] }[];
}

/** The API takes these as ids of calls, and each once. */
const ILLEGAL_IN_ID = /[^A-Za-z0-9_-]/g;
const DATA_URL = /^data:([a-z/]+);base64,(.*)$/s;

const LEFT_OUT = '[Earlier messages were left out.]';
const BEGINS = '[The conversation begins.]';

/**
 * A request for Anthropic's Messages API: turns alternate and begin with the user's; the results of all calls of a turn are the first
 * blocks of the next one; no text is empty. Where the first turn kept is not the user's, a mark stands for it.
 */
export function renderAnthropic({ system, memories, units, isCut }: ContextContent): AnthropicContext {
  const turns = new Turns();
  const ids = new CallIds();
  for (const unit of units) addUnit(turns, ids, unit);
  if (turns.first === 'assistant') turns.begin({ type: 'text', text: isCut ? LEFT_OUT : BEGINS });
  const texts = [...system.map(textOfMessage), memoryText(memories)].filter((text) => text.trim() !== '');
  return { system: texts.join('\n\n'), messages: turns.finished() };
}

function addUnit(turns: Turns, ids: CallIds, { message, results }: Unit): void {
  if (message.role === 'user') return turns.add('user', userBlocks(message));
  const legal = new Map((message.toolCalls ?? []).map(({ id }) => [id, ids.legal(id)]));
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool_use',
    id: legal.get(call.id) ?? '',
    name: legalToolName(call.name),
    input: call.arguments,
  }));
  turns.add('assistant', [...textBlocks(textOfMessage(message)), ...calls]);
  const answers = results.map((result) => ({
    type: 'tool_result',
    tool_use_id: legal.get(result.toolCallId ?? '') ?? '',
    ...contentOf(blocksOf(result)),
  }));
  turns.add('user', answers);
}

/** Consecutive blocks of one role are one turn. */
class Turns {
  readonly #turns: { role: 'user' | 'assistant'; content: JsonObject[] }[] = [];

  get first(): 'user' | 'assistant' | undefined {
    return this.#turns[0]?.role;
  }

  add(role: 'user' | 'assistant', blocks: JsonObject[]): void {
    if (blocks.length === 0) return;
    const last = this.#turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else this.#turns.push({ role, content: [...blocks] });
  }

  begin(block: JsonObject): void {
    this.#turns.unshift({ role: 'user', content: [block] });
  }

  /** The API refuses a last turn of the assistant's that ends with white space. */
  finished(): { role: 'user' | 'assistant'; content: JsonObject[] }[] {
    const last = this.#turns.at(-1);
    const block = last?.content.at(-1);
    if (last?.role === 'assistant' && typeof block?.['text'] === 'string') block['text'] = block['text'].trimEnd();
    return this.#turns;
  }
}

/** An id of a call as the API takes it. A second call of an id gets another one. */
class CallIds {
  readonly #taken = new Set<string>();
  /** The number that is tried next for an id: those before it are taken, and the search does not begin anew for each call. */
  readonly #next = new Map<string, number>();

  legal(id: string): string {
    const base = id.replaceAll(ILLEGAL_IN_ID, '_');
    let legal = base;
    if (this.#taken.has(base)) {
      let number = this.#next.get(base) ?? 2;
      while (this.#taken.has(`${base}_${number}`)) number++;
      legal = `${base}_${number}`;
      this.#next.set(base, number + 1);
    }
    this.#taken.add(legal);
    return legal;
  }
}

function userBlocks(message: ContextMessage): JsonObject[] {
  const spoken = blocksOf(message);
  return message.name === null || spoken.length === 0
    ? spoken
    : [{ type: 'text', text: `${message.name}:` }, ...spoken];
}

function blocksOf(message: ContextMessage): JsonObject[] {
  return partsOf(message).flatMap((part) => (part.type === 'text' ? textBlocks(part.text) : [imageBlock(part)]));
}

/** A result without content is legal, one of an empty text is not. */
function contentOf(blocks: JsonObject[]): JsonObject {
  return blocks.length === 0 ? {} : { content: blocks };
}

/** The API refuses a text of white space alone. */
function textBlocks(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function imageBlock({ url }: Extract<MessagePart, { type: 'image' }>): JsonObject {
  if (!url.startsWith('data:')) return { type: 'image', source: { type: 'url', url } };
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) return { type: 'text', text: imageMark(url) };
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}
