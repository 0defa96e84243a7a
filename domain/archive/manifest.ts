import { z } from 'zod';

const DIGEST = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** What stands beside a file of an archive, and says what is in it. */
export const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** `<environment>/<YYYY-MM>-<n>`: the name in `operation_keys`. */
  archive: z.string(),
  /** The digest of the file as it is on disk. */
  sha256: DIGEST,
  bytes: z.int(),
  /** One for each line, in their order; the digest is of the line. */
  invocations: z.array(z.strictObject({ id: z.string(), sha256: DIGEST })),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** The days that a record is kept in the database at least, from its end: so long analytics recounts it and lists the days of usage. */
export const KEPT_DAYS_MIN = 400;
