import { z } from 'zod';

/** A base URL to which paths are appended: an origin, optionally with a path. */
export const baseUrlSchema = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isBase =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (isBase) return url.href.replace(/\/+$/, '');
  context.addIssue({
    code: 'custom',
    message: 'must be a URL like https://api.example.com, without query or credentials',
  });
  return z.NEVER;
});
