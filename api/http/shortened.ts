import { z } from 'zod';

/** What a list shows of a large member. The route of the one record answers it whole. */
export const shortenedSchema = z
  .strictObject({
    truncated: z.literal(true),
    bytes: z.int().min(0).describe('The size of its JSON text.'),
    preview: z.string().describe('The beginning of that text.'),
  })
  .meta({
    id: 'Shortened',
    description: 'In lists, in place of a member of more than 4 KiB of JSON. Get the one record to have it whole.',
  });

export const orShortened = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, shortenedSchema]);
