import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../errors.ts';
import { attachmentOf, ATTACHMENTS_MAX } from '../files/attachments.ts';
import type { Json, JsonObject } from '../json.ts';
import type { PathStep } from '../json-path.ts';
import { markOfFile, newRendering, splitAtFiles } from './template-rendering.ts';
import type { BodyPart, PreparedRequest, RequestIdentity } from './adapter-descriptor.ts';

/** Files that an email carries: the input names them by id, and Resend gets their bytes in Base64. */

/** Resend takes an email of 40 MB, and Base64 makes four bytes of three. This leaves a megabyte and a half for the rest. */
export const EMAIL_ATTACHED_BYTES_MAX = 28_311_552;

export interface EmailAttachment {
  /** The id, and what the admission has added to it. */
  file: Json;
  filename?: string;
  content_id?: string;
}

export const ATTACHMENTS_SCHEMA: JsonObject = {
  type: 'array',
  maxItems: ATTACHMENTS_MAX,
  items: {
    type: 'object',
    required: ['file'],
    properties: {
      file: { type: 'string', description: 'The id of a file of this environment.' },
      filename: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[^\\r\\n/\\\\]*$' },
      content_id: { type: 'string', pattern: '^[A-Za-z0-9_.@-]{1,128}$' },
    },
    additionalProperties: false,
  },
};

export function filePathsOf({ attachments }: JsonObject): PathStep[][] {
  return Array.isArray(attachments) ? attachments.map((_attachment, index) => ['attachments', index, 'file']) : [];
}

export type EmailContent = Pick<PreparedRequest, 'body' | 'bodyParts'>;

/** The input as Resend takes it: each file as its bytes in Base64, under its own name or another one. */
export function contentOf(
  input: JsonObject,
  identity: RequestIdentity,
): ({ kind: 'ready' } & EmailContent) | { kind: 'invalid'; issues: Issue[] } {
  const { attachments = [] } = input as unknown as { attachments?: EmailAttachment[] };
  if (attachments.length === 0) return { kind: 'ready', body: canonicalJson(input) };
  const rendering = newRendering({ input, identity });
  const sent = attachments.map(({ file, filename, content_id }, index): JsonObject => {
    const content = markOfFile(file, `input.attachments[${index}].file`, rendering);
    const stored = rendering.files.at(-1);
    return {
      content,
      filename: filename ?? stored?.filename ?? '',
      content_type: stored?.contentType ?? '',
      ...(content_id === undefined ? {} : { content_id }),
    };
  });
  const pieces = splitAtFiles(canonicalJson({ ...input, attachments: sent }), rendering);
  if (pieces === null || rendering.issues.length > 0) return { kind: 'invalid', issues: rendering.issues };
  const bodyParts = pieces.map((piece): BodyPart => ('file' in piece ? { ...piece, encoding: 'base64' } : piece));
  return { kind: 'ready', body: null, bodyParts };
}

export function attachmentText(file: Json, filename: string | undefined): string {
  const stored = attachmentOf(file);
  if (stored === null) return filename ?? '';
  return `${filename ?? stored.filename} (${stored.size} bytes, sha256 ${stored.sha256})`;
}
