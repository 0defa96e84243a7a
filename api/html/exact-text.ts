import { countText } from '../../domain/money.ts';
import { withMarks } from '../../domain/unseen-characters.ts';
import { escaped, markup, type Markup, type Renderable, type Room } from './markup.ts';

/** Rendered bytes of a name, title or other short text. A mark takes about 90 bytes. */
export const SHORT_BYTES_MAX = 1_500;
/** Rendered bytes of one value. A preview stores at most 20,000 characters of a text. */
const VALUE_BYTES_MAX = 65_536;

/**
 * Renders a foreign text exactly; invisible characters are marked with their code point. Marks are isolated, so that a direction-reversing
 * character affects nothing around it. A text that exceeds its room is cut and says how much is missing.
 */
export function exactText(text: string, bytesMax = VALUE_BYTES_MAX): Renderable {
  return { render: (room) => rendered(text, bytesMax, room) };
}

function rendered(text: string, bytesMax: number, room: Room): string {
  const most = Math.min(bytesMax, room.bytesLeft);
  const shown = new Shown(most);
  // Each character takes at least a byte, so the rest cannot fit.
  const begin = text.length > most ? text.slice(0, Math.max(0, most)) : text;
  for (const piece of withMarks(begin, markOf)) {
    if (!shown.add(piece)) break;
  }
  const missing = text.length - shown.characters;
  if (missing === 0) return room.take(shown.text);
  room.isCut = true;
  return room.take(`${shown.text}<strong class="cut">… ${countText(missing)} more characters</strong>`);
}

interface Mark {
  character: string;
  code: string;
}

const markOf = (character: string, code: string): Mark => ({ character, code });

class Shown {
  text = '';
  characters = 0;
  #bytesLeft: number;
  constructor(bytesMax: number) {
    this.#bytesLeft = bytesMax;
  }

  /** Returns false when not everything fitted. */
  add(piece: string | Mark): boolean {
    if (typeof piece !== 'string') {
      const { character, code } = piece;
      const mark = `<span class="unseen" role="img" aria-label="${code}" data-code="${code}">${escaped(character)}</span>`;
      return this.#take(mark, character);
    }
    if (this.#take(escaped(piece), piece)) return true;
    for (const character of piece) {
      if (!this.#take(escaped(character), character)) return false;
    }
    return false;
  }

  #take(html: string, text: string): boolean {
    const bytes = Buffer.byteLength(html);
    if (bytes > this.#bytesLeft) return false;
    this.#bytesLeft -= bytes;
    this.text += html;
    this.characters += text.length;
    return true;
  }
}

/** As a block that preserves lines. Browsers drop a first line feed; the element in between prevents that. */
export function exactBlock(text: string, id?: string, bytesMax?: number): Markup {
  const code = id === undefined ? markup`<code dir="ltr">` : markup`<code dir="ltr" id="${id}">`;
  return markup`<pre>${code}${exactText(text, bytesMax)}</code></pre>`;
}
