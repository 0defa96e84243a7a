const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];
/** A number of 16 characters or with an exponent, which strings seldom look like: most texts need no second look. */
const MAY_HAVE_INEXACT = /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]+[eE])/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;
/** An integer is written out up to so many digits. */
const WRITTEN_DIGITS_MAX = 40;

/** JSON text with each number that JSON.parse would round, and each integer beyond 2^53, as a string. */
export function quoteInexactNumbers(text: string): string {
  if (!MAY_HAVE_INEXACT.test(text)) return text;
  const parts: string[] = [];
  let copiedTo = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(text)?.[0] ?? '-';
      if (token.length > 1 && !isExact(token)) {
        parts.push(text.slice(copiedTo, at), '"', writtenOut(token), '"');
        copiedTo = at + token.length;
      }
      at += token.length;
    } else at++;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copiedTo);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isExact(token: string): boolean {
  const value = Number(token);
  if (INTEGER.test(token)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  const [sent, held] = [decimalOf(token), decimalOf(String(value))];
  return sent.digits === held.digits && (sent.digits === '' || sent.exponent === held.exponent);
}

/** `1.5e3` is 15 times ten to the power of two. */
function decimalOf(token: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`;
  const digits = all.replace(/0+$/, '');
  return {
    digits: digits.replace(/^0+/, ''),
    exponent: Number(power) - fraction.length + all.length - digits.length,
  };
}

/** `1.7e18` with more digits than a double has is an integer too: an int64 is read from its digits. */
function writtenOut(token: string): string {
  if (INTEGER.test(token)) return token;
  const { digits, exponent } = decimalOf(token);
  if (exponent < 0 || digits.length + exponent > WRITTEN_DIGITS_MAX) return token;
  return `${token.startsWith('-') ? '-' : ''}${digits}${'0'.repeat(exponent)}`;
}
