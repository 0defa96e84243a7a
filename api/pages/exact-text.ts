import { withMarks } from '../../domain/unseen-characters.ts';
import { markup, type Markup } from './markup.ts';

/**
 * A text that somebody else wrote, exactly: its characters are all in the page, and what would not be seen is marked with its code
 * point. A mark is isolated, so that a character that reverses the direction of text reverses nothing around it.
 */
export function exactText(text: string): Markup {
  const pieces = withMarks(
    text,
    (character, code) =>
      markup`<span class="unseen" role="img" aria-label="${code}" data-code="${code}">${character}</span>`,
  );
  return markup`${pieces}`;
}

/** The same as a block that keeps its lines. A browser drops a first line feed: the element in between keeps ours. */
export function exactBlock(text: string, id?: string): Markup {
  const code = id === undefined ? markup`<code dir="ltr">` : markup`<code dir="ltr" id="${id}">`;
  return markup`<pre>${code}${exactText(text)}</code></pre>`;
}
