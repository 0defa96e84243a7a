/** A piece of a page, escaped. Only `markup` makes one, so text of a tenant never becomes markup. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An address of another site, for a link whose text shows where it leads. */
export class WebAddress {
  readonly href: string;

  /** @throws {Error} for an address that runs something, such as `javascript:`. */
  constructor(address: string) {
    const { protocol, href } = new URL(address);
    if (protocol !== 'https:' && protocol !== 'http:') throw new Error('an address of another site is http or https');
    this.href = href;
  }
}

/** A text is escaped; a list is joined; null, undefined and false are left out. */
export type MarkupValue = string | number | Markup | WebAddress | null | undefined | false | readonly MarkupValue[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  // A browser reads a bare carriage return as a line feed: what is shown would not be what is sent.
  '\r': '&#13;',
};
const LINK_ATTRIBUTE = /<a href="$/;
const ADDRESS_ATTRIBUTE = /\s(?:href|src|action|formaction)="$/;
const UNQUOTED_ATTRIBUTE = /=\s*$/;
/** A path of our own, without a scheme or a host. */
const OWN_PATH = /^\/(?![/\\])/;

/**
 * Markup with values in it. Values stand in text or in a quoted attribute; an address must be a path of our own, or in a link a `WebAddress`.
 *
 * @throws {Error} for a value anywhere else: the mistake shows at the first rendering, in a test.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  let text = '';
  for (const [index, part] of parts.entries()) {
    text += part;
    if (index >= values.length) break;
    const value = values[index];
    if (UNQUOTED_ATTRIBUTE.test(part)) throw new Error('an attribute needs quotes around its value');
    if (ADDRESS_ATTRIBUTE.test(part) && !isAddress(part, value)) {
      throw new Error('an address on a page is a path of our own');
    }
    text += textOf(value);
  }
  return new Markup(text);
}

function isAddress(part: string, value: MarkupValue): boolean {
  if (value instanceof WebAddress) return LINK_ATTRIBUTE.test(part);
  return typeof value === 'string' && OWN_PATH.test(value);
}

function textOf(value: MarkupValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (value instanceof WebAddress) return textOf(value.href);
  if (typeof value === 'object') return value.map(textOf).join('');
  return String(value).replaceAll(/[&<>"'`\r]/g, (character) => ESCAPES[character] ?? '');
}
