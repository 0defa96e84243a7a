import { z } from 'zod';
import { impactQuantitySchema } from '../impact.ts';

/** One part of what a person reads before an action is agreed to. The kinds: docs/previews.md, "Blocks". */

export const PREVIEW_BLOCK_TYPES = ['fields', 'text_diff', 'impact', 'limitations'] as const;
export const LIMITATION_KINDS = ['guarantee', 'freshness', 'unsupported', 'irreversible'] as const;

export const PREVIEW_TEXT_CHARACTERS_MAX = 20_000;
/** Length of a block's title, and of a label in it. */
export const TITLE_CHARACTERS_MAX = 200;
export const ENTRIES_MAX = 200;

const text = z.string().max(PREVIEW_TEXT_CHARACTERS_MAX);

export const previewBlockSchema = z
  .object({
    type: z.enum(PREVIEW_BLOCK_TYPES),
    title: z.string().min(1).max(TITLE_CHARACTERS_MAX),
    fields: z
      .array(z.object({ label: z.string().max(TITLE_CHARACTERS_MAX), value: text }))
      .max(ENTRIES_MAX)
      .optional(),
    /** What a `text_diff` changes: a file, a member of an object. */
    path: text.optional(),
    before: text.optional(),
    after: text.optional(),
    /** True where a text was cut to its length. */
    truncated: z.boolean().optional(),
    quantities: z.array(impactQuantitySchema).max(ENTRIES_MAX).optional(),
    items: z
      .array(z.object({ kind: z.enum(LIMITATION_KINDS), text }))
      .max(ENTRIES_MAX)
      .optional(),
  })
  .meta({ id: 'PreviewBlock' });

export const TRUNCATED_NOTE = 'A part of this was too long, and was cut.';

export type PreviewBlock = z.infer<typeof previewBlockSchema>;

/** Where in a block a text stands. A label counts as a title. */
type TextPlace = 'title' | 'value' | 'text';

/** The block with each text replaced, in a fixed order. Names, kinds and quantities are ours, and stay. */
export function withTexts(block: PreviewBlock, replace: (text: string, place: TextPlace) => string): PreviewBlock {
  const { type, title, fields, path, before, after, truncated, quantities, items } = block;
  return {
    type,
    title: replace(title, 'title'),
    ...(fields && {
      fields: fields.map(({ label, value }) => ({ label: replace(label, 'title'), value: replace(value, 'value') })),
    }),
    ...(path === undefined ? {} : { path: replace(path, 'text') }),
    ...(before === undefined ? {} : { before: replace(before, 'text') }),
    ...(after === undefined ? {} : { after: replace(after, 'text') }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(quantities && { quantities }),
    ...(items && { items: items.map(({ kind, text }) => ({ kind, text: replace(text, 'text') })) }),
  };
}
