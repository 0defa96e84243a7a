import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type Json } from '../../../domain/json.ts';
import { REDACTED } from '../../../domain/redacted.ts';
import { formsOf, type SecretForms } from './secret-forms.ts';
import { type Range, searchSecrets } from './secret-search.ts';
import { valuesOf } from './secret-values.ts';

/** Removes credentials from a target's answer. The forms: docs/secrets.md, "What is removed from an answer". */
export interface Redactor {
  /** False where the secrets are too long together. Then nothing of an answer may be kept, and `text` finds them only as they are. */
  readonly canSearch: boolean;
  /** For messages of ours, headers and the texts of a record: at most some kilobytes. */
  text(text: string): string;
  /** Names and numbers too. */
  json(value: Json): Json;
  /** Returns the same buffer where nothing was found, of any length. `isCutOff`: a credential may have lost its end. */
  bytes(bytes: Buffer, isCutOff?: boolean): Promise<Buffer>;
}

/** All values together, in characters. The automaton takes some hundred times as many bytes. */
export const SEARCHED_LENGTH_MAX = 16_384;

export function createRedactor(secrets: Iterable<string>): Redactor {
  const values = valuesOf(secrets);
  if (values.length === 0)
    return redactorBy(
      true,
      (text) => text,
      (bytes) => Promise.resolve(bytes),
    );
  if (values.reduce((sum, { text }) => sum + text.length, 0) > SEARCHED_LENGTH_MAX) {
    const text = (given: string): string =>
      values.reduce((rest, value) => rest.replaceAll(value.text, REDACTED), given);
    return redactorBy(false, text, () => Promise.resolve(Buffer.from(REDACTED)));
  }
  const forms = formsOf(values);
  return redactorBy(
    true,
    (text) => {
      const before = Buffer.from(text, 'utf8');
      const after = withoutRanges(before, searchAtOnce(before, forms));
      return after === before ? text : after.toString('utf8');
    },
    async (bytes, isCutOff = false) => withoutRanges(bytes, await searchInTurns(bytes, forms, isCutOff)),
  );
}

function redactorBy(canSearch: boolean, text: Redactor['text'], bytes: Redactor['bytes']): Redactor {
  return { canSearch, text, json: (value) => redactJson(value, text), bytes };
}

function searchAtOnce(bytes: Buffer, forms: SecretForms): Range[] {
  const search = searchSecrets(bytes, forms, false);
  for (;;) {
    const step = search.next();
    if (step.done === true) return step.value.ranges;
  }
}

async function searchInTurns(bytes: Buffer, forms: SecretForms, isCutOff: boolean): Promise<Range[]> {
  const search = searchSecrets(bytes, forms, isCutOff);
  for (;;) {
    const step = search.next();
    if (step.done === true) return step.value.ranges;
    await setImmediate();
  }
}

function withoutRanges(bytes: Buffer, ranges: readonly Range[]): Buffer {
  if (ranges.length === 0) return bytes;
  const mark = Buffer.from(REDACTED);
  const pieces: Buffer[] = [];
  let done = 0;
  for (const [start, end] of ranges) {
    pieces.push(bytes.subarray(done, start), mark);
    done = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(done)]);
}

function redactJson(value: Json, text: Redactor['text']): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') {
    const written = String(value);
    const redacted = text(written);
    return redacted === written ? value : redacted;
  }
  if (Array.isArray(value)) return value.map((item) => redactJson(item, text));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), redactJson(member, text)]));
}

/** Redacts one text. For several texts of the same secrets make one redactor. */
export function redactText(text: string, secrets: Iterable<string>): string {
  return createRedactor(secrets).text(text);
}
