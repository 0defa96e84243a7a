import { DemoError } from '../http.ts';

const REMEMBERED_MAX = 1_000;
/** Slack's own bounds: https://api.slack.com/reference/block-kit/blocks */
const BLOCKS_MAX = 50;
const SECTION_CHARACTERS_MAX = 3_000;
const VALUE_CHARACTERS_MAX = 2_000;
/** Slack does not say where it stops; senders found 12,000 to 13,200 characters (slackapi/bolt-js issues 2509 and 2867). */
const BLOCKS_JSON_CHARACTERS_MAX = 12_000;

/** What a channel shows. Slack has many kinds of blocks; here those are read of which an approval is made. */
export interface Content {
  text: string;
  blocks: Block[];
  /** Shown to the person who clicked, and to nobody else. */
  ephemeral: boolean;
}

export interface Message extends Content {
  /** The time of the message, which is also its id. */
  ts: string;
}

export interface Block {
  type: string;
  text?: { type: string; text: string };
  elements?: Element[];
}

export interface Element {
  type: string;
  action_id?: string;
  value?: string;
}

/** The messages of one channel, in their order. The oldest are forgotten. */
export class Channel {
  readonly #messages = new Map<string, Message>();
  #posted = 0;

  messages(): Message[] {
    return [...this.#messages.values()];
  }

  message(ts: string): Message {
    const message = this.#messages.get(ts);
    if (message === undefined) throw new DemoError(404, 'message_not_found', `There is no message ${ts}.`);
    return message;
  }

  post(content: Content): Message {
    const ts = `${Math.floor(Date.now() / 1_000)}.${String(++this.#posted).padStart(6, '0')}`;
    const message = { ts, ...content };
    this.#messages.set(ts, message);
    const [oldest] = this.#messages.keys();
    if (oldest !== undefined && this.#messages.size > REMEMBERED_MAX) this.#messages.delete(oldest);
    return message;
  }

  replace(ts: string, content: Content): void {
    this.#messages.set(ts, { ts: this.message(ts).ts, ...content });
  }

  button(ts: string, actionId: unknown): Element {
    const found = this.message(ts)
      .blocks.flatMap(({ elements }) => elements ?? [])
      .find(({ type, action_id: id }) => type === 'button' && id === actionId);
    if (found === undefined) throw new DemoError(404, 'no_such_button', `Message ${ts} has no such button.`);
    return found;
  }
}

/** @returns null where Slack would answer `invalid_blocks`. */
export function readContent(body: unknown): Content | null {
  const { text = '', blocks = [], response_type: visibility } = (body ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string' || !Array.isArray(blocks) || blocks.length > BLOCKS_MAX) return null;
  return blocks.every(isBlock) ? { text, blocks, ephemeral: visibility === 'ephemeral' } : null;
}

/** Slack bounds the blocks of a posted message together as well, but not those of an answer to a click. */
export function areTooLong({ blocks }: Content): boolean {
  return JSON.stringify(blocks).length > BLOCKS_JSON_CHARACTERS_MAX;
}

function isBlock(block: unknown): block is Block {
  const { type, text, elements } = (block ?? {}) as Partial<Block>;
  if (type === 'section') return typeof text?.text === 'string' && isWithin(text.text, SECTION_CHARACTERS_MAX);
  if (type === 'actions') return Array.isArray(elements) && elements.length > 0 && elements.every(isButton);
  return type === 'divider';
}

function isButton({ type, action_id: id, value }: Element): boolean {
  return (
    type === 'button' && typeof id === 'string' && typeof value === 'string' && isWithin(value, VALUE_CHARACTERS_MAX)
  );
}

function isWithin(text: string, most: number): boolean {
  return text.length >= 1 && text.length <= most;
}
