import type { Json, JsonObject } from '../json.ts';
import type { Refusal } from '../lifecycle.ts';
import { type PreviewBlock, previewText } from './preview-block.ts';

/** What an adapter read at the provider, as it is kept. */
export interface Observation {
  observedAt: Date;
  /** What must still hold right before the reservation; part of the binding. */
  preconditions: JsonObject;
  blocks: PreviewBlock[];
  /** What was read forbids the dispatch, or nothing could be read. */
  refusal: Refusal | null;
  summary: string;
}

const TITLE_CHARACTERS_MAX = 200;
const LABEL_CHARACTERS_MAX = 200;
const ENTRIES_MAX = 200;
export const BLOCKS_MAX = 20;

const NUL_OR_LONE_SURROGATE = /\u0000|\p{Surrogate}/gu;

/** A text of anyone's as the database keeps it: whole characters, none of them NUL, and no more than so many. */
function kept(value: string, most?: number): { text: string; truncated: boolean } {
  const wellFormed = value.replaceAll(NUL_OR_LONE_SURROGATE, '\uFFFD');
  if (most === undefined || wellFormed.length <= most) return previewText(wellFormed);
  return { text: wellFormed.slice(0, most).replaceAll(NUL_OR_LONE_SURROGATE, ''), truncated: true };
}

/** A block with everything in it cut to what a preview may hold; `truncated` says that it was. */
export function cutBlock(block: PreviewBlock): PreviewBlock {
  let truncated = block.truncated ?? false;
  const cut = (value: string, most?: number): string => {
    const result = kept(value, most);
    truncated ||= result.truncated;
    return result.text;
  };
  const list = <Entry>(entries: readonly Entry[]): Entry[] => {
    truncated ||= entries.length > ENTRIES_MAX;
    return entries.slice(0, ENTRIES_MAX);
  };
  const { fields, path, before, after, items, quantities } = block;
  const parts: Omit<PreviewBlock, 'truncated'> = {
    type: block.type,
    title: cut(block.title, TITLE_CHARACTERS_MAX),
    ...(fields && {
      fields: list(fields).map((field) => ({ label: cut(field.label, LABEL_CHARACTERS_MAX), value: cut(field.value) })),
    }),
    ...(path === undefined ? {} : { path: cut(path) }),
    ...(before === undefined ? {} : { before: cut(before) }),
    ...(after === undefined ? {} : { after: cut(after) }),
    ...(quantities && { quantities: list(quantities) }),
    ...(items && { items: list(items).map((item) => ({ kind: item.kind, text: cut(item.text) })) }),
  };
  return truncated ? { ...parts, truncated } : parts;
}

/** Preconditions are ids and small facts. What a provider wrote into them must not make the database refuse the row. */
export function keptJson(value: Json): Json {
  if (typeof value === 'string') return kept(value).text;
  if (Array.isArray(value)) return value.map(keptJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [kept(name).text, keptJson(member)]));
}
