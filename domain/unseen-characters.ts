/** Characters that show nothing, or that change the order in which others are shown. */
const UNSEEN = /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800])/u;
const PLAIN = new Set([' ', '\n', '\t']);

/** The text in pieces; `mark` replaces each unseen character but space, line feed and tab. `code`: such as U+202E. */
export function withMarks<Mark>(text: string, mark: (character: string, code: string) => Mark): (string | Mark)[] {
  return text.split(UNSEEN).map((piece, index) => {
    // Every second piece is what the expression found.
    if (index % 2 === 0 || PLAIN.has(piece)) return piece;
    return mark(piece, codeOf(piece));
  });
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** JSON in which each unseen character is escaped, so that a file of it hides nothing and is the same value. */
export function visibleJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return withMarks(text, (character) => character.split('').map(escapeOf).join('')).join('');
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** With `⟨U+202E⟩` for each unseen character, where no element can stand. Marks of the text are marked too. */
export function visibleText(text: string): string {
  const pieces = text.split('⟨').map((piece) => withMarks(piece, (_, code) => `⟨${code}⟩`).join(''));
  return pieces.join(`⟨${codeOf('⟨')}⟩`);
}
