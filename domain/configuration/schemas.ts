import { z } from 'zod';
import { parseAddressRanges } from '../address-ranges.ts';

/** How the text of a variable is read. Messages follow the variable's name; none repeats what may be a secret. */

const MASTER_KEY_BYTES = 32;

export const portSchema = (least: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, `must be a port: a whole number from ${least} to 65535`)
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(65_535, 'must be at most 65535'));
export const countSchema = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));
export const textSchema = z.string();
export const onOffSchema = z.enum(['on', 'off'], 'must be "on" or "off"').transform((value) => value === 'on');
export const postgresUrlSchema = z
  .string()
  .refine(
    (value) => URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol),
    'must be a URL like postgresql://user:password@host:5432/database',
  );
export const addressSchema = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, 'must be host:port, for example temporal.example.com:7233');
export const addressRangesSchema = z.string().transform((value, context) => {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.flatMap((entry) => {
    try {
      return parseAddressRanges(entry);
    } catch {
      context.addIssue({ code: 'custom', message: `holds "${entry}", which is neither an IP address nor a CIDR` });
      return [];
    }
  });
});
export const publicUrlSchema = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  context.addIssue({ code: 'custom', message: 'must be an origin like https://api.example.com, without a path' });
  return z.NEVER;
});
/** An address that paths are put behind: an origin, with a path of its own if need be. */
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
export const masterKeysSchema = z.string().superRefine((value, context) => {
  for (const [index, entry] of value.split(',').entries()) {
    const [, key] = /^[1-9]\d*:([A-Za-z0-9+/_-]+={0,2})$/.exec(entry.trim()) ?? [];
    if (key !== undefined && Buffer.from(key, 'base64').byteLength === MASTER_KEY_BYTES) continue;
    // The message names the position: the entry itself is a secret.
    context.addIssue({ code: 'custom', message: `entry ${index + 1} is not <version>:<base64 of 32 bytes>` });
  }
});
