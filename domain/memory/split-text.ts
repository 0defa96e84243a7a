export const CHUNK_CHARACTERS_DEFAULT = 1_000;
export const CHUNK_CHARACTERS_MIN = 100;
export const CHUNK_CHARACTERS_MAX = 4_000;

/** The end of a sentence. The search begins only where its marks begin: begun at each of them, a row of dots takes quadratic time. */
const SENTENCE_END = /(?<![.!?…。！？])[.!?…。！？]+["'”’)\]]*\s+/g;

/** Where a text is best cut, the best first: between paragraphs, lines, sentences, clauses, words. */
const SEAMS: readonly RegExp[] = [/\n\s*\n/g, /\n/g, SENTENCE_END, /[;:,、，]\s+/g, /\s+/g];

/** Cuts a text into ordered chunks, each at the best seam of the second half of what fits. Loses only white space. */
export function splitText(text: string, charactersMax: number): string[] {
  const chunks: string[] = [];
  for (let rest = text.trim(); rest !== '';) {
    const end = rest.length <= charactersMax ? rest.length : cutOf(rest, charactersMax);
    chunks.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return chunks;
}

function cutOf(text: string, charactersMax: number): number {
  const fits = text.slice(0, charactersMax);
  const least = Math.floor(charactersMax / 2);
  for (const seam of SEAMS) {
    let cut = 0;
    for (const match of fits.matchAll(seam)) cut = match.index + match[0].length;
    if (cut >= least) return cut;
  }
  // A pair of surrogates is one character, and is never cut apart.
  return isHighSurrogate(fits.charCodeAt(charactersMax - 1)) ? charactersMax - 1 : charactersMax;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
