import { z } from 'zod';

/** The number of an immutable version in a path. Nine digits at most, so that every number fits into the column. */
export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a version')
  .transform(Number)
  .describe('Number of the version, from 1.');
