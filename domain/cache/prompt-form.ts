/** Equal results mean the same prompt: nothing looks at them again, so nothing that can carry a meaning is removed. */
export function normalisedPrompt(prompt: string): string {
  const text = composedForm(prompt)
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replace(CLOSING, (_closing, at: number, whole: string) => (isFactorial(whole, at) ? '!' : ''));
  const symbols = caseBoundSymbols(text);
  // NUL is in no prompt that PostgreSQL keeps.
  return symbols.length === 0 ? foldCase(text) : `${foldCase(text)}\0${symbols.join(' ')}`;
}

/** Looked for where such characters begin alone: begun at each of them, a row of dots takes quadratic time. */
const CLOSING = /(?<![\s.!?…。])[\s.!?…。]+$/u;

/** `5!`, `n!` and `(n + 1)!` are numbers. */
const isFactorial = (text: string, at: number): boolean =>
  text[at] === '!' && /(?:\p{N}|\)|(?<!\p{L})\p{L})$/u.test(text.slice(0, at));

/** NFC, and the plain form of characters that differ in width or shape alone. NFKC would make `5²` into `52`. */
export function composedForm(text: string): string {
  return text.replaceAll(OTHER_SHAPES, (character) => character.normalize('NFKC')).normalize('NFC');
}

/** Not U+FDFA and U+FDFB, phrases of up to 18 characters: a prompt of them would be read for seconds. */
const OTHER_SHAPES =
  /[\u00b5\u2011\u2025\u2026\u2103\u2109\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdf9\ufe10-\ufe19\ufe30-\ufe6b\ufe70-\ufefc\uff01-\uffee]/gu;

/** Unicode simple case folding: full folding takes "Maße" for "Masse", and lower case depends on the language. */
export function foldCase(text: string): string {
  return Array.from(text, (character) => {
    if (character === 'ı') return character;
    const upper = character.toUpperCase();
    const lower = (isOne(upper) ? upper : character).toLowerCase();
    return isOne(lower) ? lower : character;
  }).join('');
}

const isOne = (text: string): boolean =>
  text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);

const SYMBOL =
  /(?<=\d\s?)(?:([mk])|(m)(?:wh|w|v|ah|a|j|hz|s|g|m|l|pa|f|h|Ω|ev|n|mol|bar|sv|bq|k|t)|([kmgtp])i?(b)(?:ps|\/s)?)(?![\p{L}\p{N}])/giu;

/** The letters of units after a number whose case is their meaning: 5 mW and 5 MW, 10 Mb and 10 MB, 300 K and 300 k. */
export function caseBoundSymbols(text: string): string[] {
  return [...text.matchAll(SYMBOL)].flatMap(([, bare, milliOrMega, prefix, byteOrBit]) => {
    if (byteOrBit === undefined) return bare ?? milliOrMega ?? [];
    // In lower case alone, people mean bytes.
    return byteOrBit === 'b' && prefix !== prefix?.toLowerCase() ? ['bit'] : [];
  });
}
