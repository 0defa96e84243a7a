import { isJsonObject, type Json, jsonBytes, type JsonObject } from '../json.ts';
import { SPAN_BYTES_MAX, type SpanUpsert } from './runs.ts';

export const CUT_ATTRIBUTE = 'service.content.cut';

/** A shorter text would tell nothing. */
const TEXT_BYTES_MIN = 64;
/** What stands behind a cut text. */
const NOTE_BYTES = 32;
const CUT_ATTRIBUTE_BYTES = 128;
const TRIES_MAX = 3;

/** A span with its contents, in SPAN_BYTES_MAX: its longest texts are cut where it is larger. `bare` is the span without any contents. */
export function fitContents(whole: SpanUpsert, bare: SpanUpsert): SpanUpsert | null {
  const bytes = jsonBytes(whole);
  if (bytes <= SPAN_BYTES_MAX) return whole;
  const sizes = textSizes(whole);
  let excess = bytes + CUT_ATTRIBUTE_BYTES - SPAN_BYTES_MAX;
  // What stays of a text may take more bytes for each character than what goes.
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const bytesMax = largestText(sizes, excess);
    if (bytesMax === null) break;
    const cut = cutSpan(whole, bytesMax);
    const tooMany = jsonBytes(cut) - SPAN_BYTES_MAX;
    if (tooMany <= 0) return cut;
    excess += tooMany;
  }
  const without = noted(bare, `all contents: they are more than ${SPAN_BYTES_MAX} bytes, in texts that are short`);
  return jsonBytes(without) <= SPAN_BYTES_MAX ? without : null;
}

/** After how many bytes texts are cut, at most, so that at least `excess` bytes go. Null where texts are too short for that. */
function largestText(sizes: readonly number[], excess: number): number | null {
  const goes = (kept: number): number => sizes.reduce((sum, size) => sum + Math.max(size - kept - NOTE_BYTES, 0), 0);
  let enough = TEXT_BYTES_MIN;
  let tooFew = sizes.reduce((a, b) => Math.max(a, b), enough);
  if (goes(enough) < excess) return null;
  while (tooFew - enough > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (goes(middle) >= excess) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

function cutSpan(span: SpanUpsert, bytesMax: number): SpanUpsert {
  const { input, output, error, attributes } = span;
  return noted(
    {
      ...span,
      ...(input === undefined ? {} : { input: cutTexts(input, bytesMax) }),
      ...(output === undefined ? {} : { output: cutTexts(output, bytesMax) }),
      ...(error ? { error: cutTexts(error, bytesMax) as JsonObject } : {}),
      ...(attributes ? { attributes: cutTexts(attributes, bytesMax) as JsonObject } : {}),
    },
    `texts after ${bytesMax} bytes: a span has at most ${SPAN_BYTES_MAX} bytes`,
  );
}

function noted(span: SpanUpsert, cut: string): SpanUpsert {
  return { ...span, attributes: { ...span.attributes, [CUT_ATTRIBUTE]: cut } };
}

/** PostgreSQL refuses half a character. */
const HALF_AT_END = /[\ud800-\udbff]$/;

function cutTexts(value: Json, bytesMax: number): Json {
  if (typeof value === 'string') {
    const bytes = jsonBytes(value);
    if (bytes <= bytesMax + NOTE_BYTES) return value;
    const kept = value.slice(0, Math.floor((value.length * bytesMax) / bytes)).replace(HALF_AT_END, '');
    return `${kept}… [${value.length - kept.length} characters cut]`;
  }
  if (Array.isArray(value)) return value.map((one) => cutTexts(one, bytesMax));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutTexts(member, bytesMax)]));
}

function textSizes({ input, output, error, attributes }: SpanUpsert): number[] {
  const sizes: number[] = [];
  const left: unknown[] = [input, output, error, attributes];
  while (left.length > 0) {
    const item = left.pop();
    if (typeof item === 'string') sizes.push(jsonBytes(item));
    else if (typeof item === 'object' && item !== null) for (const member of Object.values(item)) left.push(member);
  }
  return sizes;
}
