import { z } from 'zod';
import type { Json } from '../../domain/json.ts';

/**
 * Any JSON value, taken as it is. `z.json()` walks every value through a union of six schemas, which took four times as long as parsing a
 * body; whatever a request holds came out of `parseJsonText` and is JSON already.
 */
export const anyJson = z
  .unknown()
  .refine((value) => value !== undefined, { error: 'is required', abort: true })
  .meta({ id: 'JsonValue', description: 'Any JSON value.' }) as unknown as z.ZodType<Json, Json>;
