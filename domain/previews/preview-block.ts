import { z } from 'zod';

/** One part of what a person reads before an action is agreed to. Source: service.md "ActionPreview". */

export const PREVIEW_BLOCK_TYPES = ['fields', 'text_diff', 'impact', 'limitations'] as const;
export const LIMITATION_KINDS = ['guarantee', 'freshness', 'unsupported', 'irreversible'] as const;

/** Texts come from inputs and providers: a preview is read by people, and is kept. */
export const PREVIEW_TEXT_CHARACTERS_MAX = 20_000;
const TITLE_CHARACTERS_MAX = 200;
const ENTRIES_MAX = 200;

const text = z.string().max(PREVIEW_TEXT_CHARACTERS_MAX);

const impactQuantitySchema = z.object({
  dimension: z.string().regex(/^[a-z][a-z0-9_]{0,31}$/),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/)
    .optional(),
  amount: z.int().min(0),
  bound: z.enum(['exact', 'upper_bound']),
});

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

export type PreviewBlock = z.infer<typeof previewBlockSchema>;

/** A text of any length as it may stand in a block. Cut between characters, never through a surrogate pair. */
export function previewText(value: string): { text: string; truncated: boolean } {
  if (value.length <= PREVIEW_TEXT_CHARACTERS_MAX) return { text: value, truncated: false };
  const cut = value.slice(0, PREVIEW_TEXT_CHARACTERS_MAX);
  return { text: /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut, truncated: true };
}
