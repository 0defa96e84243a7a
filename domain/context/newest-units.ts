import type { MessageRole } from '../sessions/sessions.ts';

/** The facts of a message that are known without its texts. */
export interface MessageOutline {
  sequence: number;
  role: MessageRole;
  tokens: number;
  /** Its texts and its calls take them, as JSON, and its name and the id that it answers. */
  bytes: number;
  toolCallId: string | null;
  callIds: readonly string[] | null;
}

/** The least that a message takes beside its own tokens, in most formats. */
const FRAME_TOKENS_MIN = 2;
/** What a message takes beside its bytes (estimate), so that any number of empty messages does not count as nothing. */
export const MESSAGE_BYTES = 64;

export interface UnitBounds {
  /** In tokens. */
  allowance: number;
  bytesMax: number;
  /** Messages that are looked at, whether a context could hold them or not. */
  outlinesMax: number;
}

/**
 * Chooses a session's newest units (units.ts) whose tokens come to `allowance`, and the first one beyond it, so that an
 * assembly sees what did not fit. A unit beyond `bytesMax` ends the choice, as does the message beyond `outlinesMax`.
 * Reads from the newest to the oldest. Calls without results, and the reverse, are in no unit and count only for
 * `outlinesMax`. The results of an id are a stack: a call takes the oldest result behind it that no newer call took.
 */
export class NewestUnits {
  readonly #bounds: UnitBounds;
  readonly #results = new Map<string, MessageOutline[]>();
  readonly #sequences: number[] = [];
  #outlines = 0;
  #tokens = 0;
  #bytes = 0;
  #isCut = false;

  constructor(bounds: UnitBounds) {
    this.#bounds = bounds;
  }

  /** Nothing older is needed, or may be read. */
  get isFull(): boolean {
    return this.#isCut || this.#tokens > this.#bounds.allowance;
  }

  /** What is older may not be read: a larger allowance chooses no more. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get sequences(): readonly number[] {
    return this.#sequences;
  }

  add(message: MessageOutline): void {
    if (this.isFull || message.role === 'system') return;
    this.#isCut = ++this.#outlines > this.#bounds.outlinesMax;
    if (this.#isCut) return;
    if (message.role === 'tool') {
      const callId = message.toolCallId ?? '';
      const answered = this.#results.get(callId);
      if (answered === undefined) this.#results.set(callId, [message]);
      else answered.push(message);
      return;
    }
    const callIds = [...new Set(message.callIds)];
    const results = callIds.flatMap((id) => this.#results.get(id)?.pop() ?? []);
    if (results.length < callIds.length) return;
    const unit = [message, ...results];
    this.#bytes += unit.reduce((sum, { bytes }) => sum + bytes + MESSAGE_BYTES, 0);
    this.#isCut = this.#bytes > this.#bounds.bytesMax;
    if (this.#isCut) return;
    for (const { sequence, tokens } of unit) {
      this.#sequences.push(sequence);
      this.#tokens += tokens + FRAME_TOKENS_MIN;
    }
  }
}
