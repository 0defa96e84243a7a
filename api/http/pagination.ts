import { z } from 'zod';

/** The part of a list that was asked for. */
export interface Page {
  limit: number;
  offset: number;
}

export interface Pagination {
  total: number;
  page: number;
  limit: number;
  totalPages: number;
  hasMore: boolean;
}

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** Beyond it OFFSET is too costly, and nobody pages that far by hand. */
export const PAGE_MAX = 100_000;

/** The page, as a query asks for it. A route with `list` gets these members from its declaration and adds only its own to them. */
export const pageQuery = {
  page: z.coerce.number().int().min(1).max(PAGE_MAX).default(1).meta({ description: 'The page, from 1.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(PAGE_LIMIT_MAX)
    .default(PAGE_LIMIT_DEFAULT)
    .meta({ description: 'Items on a page.' }),
};

/** A boolean of a query string: `true` or `false`, nothing else. */
export const queryBoolean = z.enum(['true', 'false']).transform((value) => value === 'true');

export const paginationSchema = z
  .strictObject({
    total: z.int().min(0),
    page: z.int().min(1),
    limit: z.int().min(1),
    totalPages: z.int().min(0),
    hasMore: z.boolean(),
  })
  .meta({ id: 'OffsetPagination' });

export function paginationOf(total: number, page: number, limit: number): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { total, page, limit, totalPages, hasMore: page < totalPages };
}
