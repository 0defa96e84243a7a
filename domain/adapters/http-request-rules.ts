import type { z } from 'zod';
import type { Issue } from '../errors.ts';
import { pathText } from '../json-path.ts';
import { unknownFieldMessages } from '../json-schema/schema-messages.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that control the connection, or how the service reads the response. A config may not set them. */
const FORBIDDEN_HEADERS: readonly string[] = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'http2-settings',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
];

export function headerNameIssue(name: string): string | null {
  if (!HEADER_NAME.test(name)) return 'is not the name of a header';
  const lower = name.toLowerCase();
  if (FORBIDDEN_HEADERS.includes(lower) || lower.startsWith('proxy-')) return 'is set by the service; leave it out';
  return null;
}

/** The issues of a zod error, one for each unknown member, with paths such as `headers.X-A` or `success.statuses[1]`. */
export function issuesOfZod(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code === 'unrecognized_keys') {
      return unknownFieldMessages(issue).map(({ key, message }) => ({
        path: pathText('', [...path, key]),
        message: message.replace('field', 'member'),
      }));
    }
    return [{ path: pathText('', path), message: issue.message }];
  });
}
