import { markup, type Markup } from './markup.ts';

/** Characters that show nothing, or that change the order in which others are shown. */
const UNSEEN = /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800])/u;
const PLAIN = new Set([' ', '\n', '\t']);

/**
 * A text that somebody else wrote, exactly: its characters are all in the page, and what would not be seen is marked with its code
 * point. A mark is isolated, so that a character that reverses the direction of text reverses nothing around it.
 */
export function exactText(text: string): Markup {
  const pieces = text.split(UNSEEN).map((piece, index) => {
    if (index % 2 === 0 || PLAIN.has(piece)) return piece;
    const code = `U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return markup`<span class="unseen" role="img" aria-label="${code}" data-code="${code}">${piece}</span>`;
  });
  return markup`${pieces}`;
}

/** The same as a block that keeps its lines. A browser drops a first line feed: the element in between keeps ours. */
export function exactBlock(text: string, id?: string): Markup {
  const code = id === undefined ? markup`<code dir="ltr">` : markup`<code dir="ltr" id="${id}">`;
  return markup`<pre>${code}${exactText(text)}</code></pre>`;
}
