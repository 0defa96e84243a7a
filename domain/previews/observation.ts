import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Refusal } from '../refusals.ts';
import {
  ENTRIES_MAX,
  PREVIEW_TEXT_CHARACTERS_MAX,
  type PreviewBlock,
  TITLE_CHARACTERS_MAX,
  withTexts,
} from '../adapters/preview-block.ts';

export interface Observation {
  observedAt: Date;
  /** What must still hold right before the reservation; part of the binding. */
  preconditions: JsonObject;
  blocks: PreviewBlock[];
  /** Set if what was read forbids the dispatch, or nothing could be read. */
  refusal: Refusal | null;
  summary: string;
}

const BLOCKS_MAX = 20;
const BLOCKS_CHARACTERS_MAX = 262_144;
const PRECONDITIONS_CHARACTERS_MAX = 16_384;
const SUMMARY_CHARACTERS_MAX = 2_000;

/** Makes a foreign text storable: whole characters, no NUL, cut to a length. */
function kept(value: string, most = PREVIEW_TEXT_CHARACTERS_MAX): { text: string; truncated: boolean } {
  const storable = value.replaceAll('\u0000', '\uFFFD').replaceAll(/\p{Surrogate}/gu, '\uFFFD');
  if (storable.length <= most) return { text: storable, truncated: false };
  return { text: storable.slice(0, most).replaceAll(/\p{Surrogate}/gu, ''), truncated: true };
}

/** The blocks of an adapter. Each is cut to what a preview may hold; their sum is cut to what a person reads and a row keeps. */
export function keptBlocks(blocks: readonly PreviewBlock[]): PreviewBlock[] {
  const shown: PreviewBlock[] = [];
  let characters = 0;
  for (const block of blocks.slice(0, BLOCKS_MAX)) {
    const cut = cutBlock(block);
    characters += JSON.stringify(cut).length;
    if (characters > BLOCKS_CHARACTERS_MAX) break;
    shown.push(cut);
  }
  const hidden = blocks.length - shown.length;
  if (hidden === 0) return shown;
  const text = `${hidden} more part${hidden === 1 ? '' : 's'} of what was read would be too much to show.`;
  return [
    ...shown,
    { type: 'limitations', title: 'Not shown', items: [{ kind: 'unsupported', text }], truncated: true },
  ];
}

/** A block with all of its parts cut to what a preview may hold; `truncated` says that something was cut. */
export function cutBlock(block: PreviewBlock, valueCharactersMax = PREVIEW_TEXT_CHARACTERS_MAX): PreviewBlock {
  let truncated = block.truncated ?? false;
  const charactersMax = { title: TITLE_CHARACTERS_MAX, value: valueCharactersMax, text: PREVIEW_TEXT_CHARACTERS_MAX };
  const list = <Entry>(entries: readonly Entry[]): Entry[] => {
    truncated ||= entries.length > ENTRIES_MAX;
    return entries.slice(0, ENTRIES_MAX);
  };
  const { fields, items, quantities } = block;
  const listed = {
    ...block,
    ...(fields && { fields: list(fields) }),
    ...(quantities && { quantities: list(quantities) }),
    ...(items && { items: list(items) }),
  };
  const parts = withTexts(listed, (text, place) => {
    const result = kept(text, charactersMax[place]);
    truncated ||= result.truncated;
    return result.text;
  });
  return truncated ? { ...parts, truncated } : parts;
}

/** What may be bound: ids and small facts. Null where an adapter read more than that. */
export function keptPreconditions(preconditions: JsonObject): JsonObject | null {
  const kept = keptJson(preconditions);
  return isJsonObject(kept) && JSON.stringify(kept).length <= PRECONDITIONS_CHARACTERS_MAX ? kept : null;
}

/** A provider's text must not make the database refuse the row. */
function keptJson(value: Json): Json {
  if (typeof value === 'string') return kept(value).text;
  if (Array.isArray(value)) return value.map(keptJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [kept(name).text, keptJson(member)]));
}

export function keptSummary(summary: string): string {
  return kept(summary, SUMMARY_CHARACTERS_MAX).text;
}
