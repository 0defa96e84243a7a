import { z } from 'zod';

/** Source: service.md, "ImpactQuantity". */
export const impactQuantitySchema = z
  .strictObject({
    dimension: z.string().regex(/^[a-z][a-z0-9_]{0,31}$/),
    currency: z
      .string()
      .regex(/^[a-z]{3}$/)
      .optional(),
    amount: z.int().min(0).describe('Minor units for money, a count otherwise.'),
    bound: z.enum(['exact', 'upper_bound']),
  })
  .meta({ id: 'ImpactQuantity' });
