import { z } from 'zod';
import { parseAddressRanges } from '../address-ranges.ts';
import { NEVER_REDIRECT_SCHEMES, SCHEME } from '../oauth/redirect-schemes.ts';
import { parseOwnEndpoint } from '../own-endpoints.ts';
import { isPlaceholder } from './placeholders.ts';

/** Parses the text of a variable. Messages follow the variable's name; none repeats a value that may be a secret. */

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
/** What an image's tag may be, and Temporal's version, and a label of Kubernetes. */
export const buildIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/, 'must have at most 63 letters, digits, dots, _ and -');
const PLACEHOLDER = 'is the placeholder of an example: set a value of your own';
export const secretSchema = z.string().refine((value) => !isPlaceholder(value), PLACEHOLDER);
/** What is no publishable key may be a secret one: it is not repeated in the message. */
export const publishableKeySchema = z
  .string()
  .regex(
    /^pk_(live|test)_[0-9A-Za-z]{1,250}$/,
    'must be a publishable key, which begins with pk_live_ or pk_test_: a browser sees it',
  );
export const onOffSchema = z.enum(['on', 'off'], 'must be "on" or "off"').transform((value) => value === 'on');
export const postgresUrlSchema = z.string().superRefine((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    context.addIssue({ code: 'custom', message: 'must be a URL like postgresql://user:password@host:5432/database' });
  } else if (url.hostname.includes(',')) {
    context.addIssue({ code: 'custom', message: 'must name one host: docs/ha.md says how a failover is followed' });
  } else if (isPlaceholder(decoded(url.password))) {
    context.addIssue({ code: 'custom', message: 'holds the placeholder of an example as its password: set your own' });
  }
});
export const addressSchema = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, 'must be host:port, for example temporal.example.com:7233');
/** For a listener of a library, which does not say which free port it took: our calls could not be kept from it. */
export const listenerSchema = addressSchema.refine(
  (value) => !/:0+$/.test(value),
  'must name its port, which is not 0',
);
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
export const redirectSchemesSchema = z.string().transform((value, context) => {
  const schemes = value
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  for (const scheme of schemes) {
    if (SCHEME.test(scheme) && !NEVER_REDIRECT_SCHEMES.has(scheme)) continue;
    context.addIssue({ code: 'custom', message: `holds "${scheme}", which is no scheme that an app can claim` });
  }
  return schemes;
});
export const ownEndpointsSchema = z.string().transform((value, context) => {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.flatMap((entry) => {
    const endpoint = parseOwnEndpoint(entry);
    if (endpoint !== null) return endpoint;
    context.addIssue({ code: 'custom', message: `holds "${entry}", which is neither host:port nor a host` });
    return [];
  });
});
export const publicUrlSchema = z.string().transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  context.addIssue({ code: 'custom', message: 'must be an origin like https://api.example.com, without a path' });
  return z.NEVER;
});
/** A path without a slash at its end; empty for none. `/api` is the service's own. */
export const pathPrefixSchema = z
  .string()
  .transform((value) => value.replace(/\/$/, ''))
  .refine((value) => /^(?!\/api(\/|$))(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(value), {
    error: 'must be a path like /handbook, and not below /api',
  });
export const versionedKeysSchema = z.string().superRefine((value, context) => {
  const entries = value.split(',').map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    const [, key = ''] = /^~?[1-9]\d*:(.*)$/.exec(entry) ?? [];
    const bytes = Buffer.from(key, 'base64');
    // Each message names the position: the entry itself is a secret.
    const issue = (message: string): void => {
      context.addIssue({ code: 'custom', message: `entry ${index + 1} ${message}` });
    };
    // A whole key is random text, which may begin with any word. Only a text that is no key is checked for a placeholder.
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(key) || bytes.byteLength !== MASTER_KEY_BYTES) {
      issue(isPlaceholder(key) ? PLACEHOLDER : 'is not <version>:<base64 of 32 bytes>');
    } else if (new Set(bytes).size === 1)
      issue('repeats one byte: make a random key, as `openssl rand -base64 32` does');
  }
});
export const masterKeysSchema = versionedKeysSchema.refine(
  (value) => value.split(',').some((entry) => !entry.trim().startsWith('~')),
  {
    error: 'marks every key with ~: one without the mark must seal',
  },
);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign: the code that uses the URL decides
  }
}
