/** Bytes that a page or part may still take. Our own markup always renders; foreign texts are cut and lists end when nothing is left. */
export class Room {
  bytesLeft: number;
  /** True once a text was cut, or a list ended early. */
  isCut = false;
  /** True once a list ended early. */
  lacksEntries = false;

  constructor(bytesMax: number) {
    this.bytesLeft = bytesMax;
  }

  take(text: string): string {
    this.bytesLeft -= Buffer.byteLength(text);
    return text;
  }
}

/** Rendered with its page, when the remaining room is known. */
export interface Renderable {
  render(room: Room): string;
}

type Piece = string | Renderable | readonly Piece[];

/** Escaped markup. Only `markup` creates it, so tenants' text never becomes markup. */
export class Markup implements Renderable {
  readonly #pieces: readonly Piece[];
  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  render(room: Room): string {
    return this.#pieces.map((piece) => rendered(piece, room)).join('');
  }
}

function rendered(piece: Piece, room: Room): string {
  if (typeof piece === 'string') return room.take(piece);
  if (isRenderable(piece)) return piece.render(room);
  let text = '';
  for (const entry of piece) {
    if (room.bytesLeft <= 0) {
      room.isCut = true;
      room.lacksEntries = true;
      break;
    }
    text += rendered(entry, room);
  }
  return text;
}

function isRenderable(value: object): value is Renderable {
  return 'render' in value;
}

interface Within {
  content: Markup;
  isCut: boolean;
  lacksEntries: boolean;
}

/** Renders a part in its own room, so that it cannot shorten other parts. */
export function within(content: Markup, bytesMax: number): Within {
  const room = new Room(bytesMax);
  const text = content.render(room);
  return { content: new Markup([text]), isCut: room.isCut, lacksEntries: room.lacksEntries };
}

/** A foreign address, for a link whose text shows its target. */
export class WebAddress {
  readonly href: string;

  /** @throws {Error} for an address that runs something, such as `javascript:`. */
  constructor(address: string) {
    const { protocol, href } = new URL(address);
    if (protocol !== 'https:' && protocol !== 'http:') throw new Error('an address of another site is http or https');
    this.href = href;
  }
}

/** Text is escaped, lists are joined, null, undefined and false are omitted. */
export type MarkupValue = string | number | Renderable | WebAddress | null | undefined | false | readonly MarkupValue[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  // Browsers read a bare carriage return as a line feed: the text shown would differ from the text sent.
  '\r': '&#13;',
};
const LINK_ATTRIBUTE = /<a (?:class="[\w-]+" )?href="$/;
const ADDRESS_ATTRIBUTE = /\s(?:href|src|action|formaction)="$/;
const UNQUOTED_ATTRIBUTE = /=\s*$/;
/** A path of ours, without scheme or host. */
const OWN_PATH = /^\/(?![/\\])/;

/**
 * Markup with values in text or quoted attributes. An address must be a path of ours, or a `WebAddress` in a link.
 *
 * @throws {Error} for a value elsewhere: tests see it at the first rendering.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  const pieces: Piece[] = [];
  for (const [index, part] of parts.entries()) {
    pieces.push(part);
    if (index >= values.length) break;
    const value = values[index];
    if (UNQUOTED_ATTRIBUTE.test(part)) throw new Error('an attribute needs quotes around its value');
    if (ADDRESS_ATTRIBUTE.test(part) && !isAddress(part, value)) {
      throw new Error('an address on a page is a path of our own');
    }
    pieces.push(pieceOf(value));
  }
  return new Markup(pieces);
}

function isAddress(part: string, value: MarkupValue): boolean {
  if (value instanceof WebAddress) return LINK_ATTRIBUTE.test(part);
  return typeof value === 'string' && OWN_PATH.test(value);
}

function pieceOf(value: MarkupValue): Piece {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof WebAddress) return escaped(value.href);
  if (typeof value !== 'object') return escaped(String(value));
  return isRenderable(value) ? value : value.map(pieceOf);
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"'`\r]/g, (character) => ESCAPES[character] ?? '');
}
