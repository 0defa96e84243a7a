import { DOCUMENT_VALUES_MAX } from './limits.ts';

const SEPARATORS: ReadonlySet<number> = new Set(Array.from(',[{\n', (character) => character.charCodeAt(0)));
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Whether a text may hold too many values. Counted before the parse, which could end the process out of memory.
 * Separators within strings count too; the bound leaves room for them.
 */
export function mayHoldTooManyValues(text: string | Uint8Array): boolean {
  const at = (index: number): number | undefined => (typeof text === 'string' ? text.charCodeAt(index) : text[index]);
  let separators = 0;
  const { length } = text;
  for (let index = 0; index < length; index++) {
    const code = at(index);
    if (code === undefined) continue;
    // YAML ends a line with CR, LF or both; both are one.
    if (SEPARATORS.has(code) || (code === CARRIAGE_RETURN && at(index + 1) !== LINE_FEED)) separators++;
  }
  return separators > DOCUMENT_VALUES_MAX;
}
