import { z } from 'zod';
import type { FileRecord } from '../../db/files/files.ts';
import {
  DEFAULT_CONTENT_TYPE,
  FILENAME_CHARACTERS_MAX,
  filenameProblem,
  isMediaType,
  METADATA_BYTES_MAX,
  PRESIGNED_FILE_BYTES_MAX,
  PURPOSE_CHARACTERS_MAX,
  SHA256_HEX,
} from '../../domain/files/files.ts';
import { jsonBytes, type JsonObject } from '../../domain/json.ts';
import { anyJson } from '../http/common-fields.ts';

export const fileParams = z.strictObject({ fileId: z.string().min(1).max(100) });

export const filenameSchema = z
  .string()
  .superRefine((value, context) => {
    const problem = filenameProblem(value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('Kept as it is, for the download. It is never part of a path, and holds none.')
  .meta({ minLength: 1, maxLength: FILENAME_CHARACTERS_MAX });

export const contentTypeSchema = z
  .string()
  .refine(isMediaType, 'must be a media type, such as application/pdf')
  .describe(`\`${DEFAULT_CONTENT_TYPE}\` where nobody says.`);

const purposeSchema = z
  .string()
  .min(1)
  .max(PURPOSE_CHARACTERS_MAX)
  .describe('A word of your own to list by, such as `invoice`.');

const metadataSchema = z
  .record(z.string(), anyJson)
  .refine((value) => jsonBytes(value) <= METADATA_BYTES_MAX, 'must be at most 16 KiB of JSON')
  .describe('Yours; not read by the service. At most 16 KiB of JSON.');

export const fileNotes = { purpose: purposeSchema.optional(), metadata: metadataSchema.optional() };

const sha256Schema = z.string().regex(SHA256_HEX, 'must be 64 lower-case hex digits');

export const presignBody = z
  .strictObject({
    filename: filenameSchema,
    contentType: contentTypeSchema.optional(),
    size: z
      .int()
      .min(0)
      .max(PRESIGNED_FILE_BYTES_MAX)
      .describe('Bytes, exactly. To 100 MiB; to 5 GiB where the store is S3.'),
    sha256: sha256Schema.optional().describe('Hex. Where it is named, `confirm` refuses other bytes.'),
    ...fileNotes,
  })
  .meta({ id: 'FilePresign' });

export const fileSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['fil_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    filename: z.string(),
    contentType: z.string(),
    size: z.int().min(0).describe('Bytes. While it is pending: what was promised.'),
    sha256: z.string().nullable().describe('Hex. While it is pending: what was promised, if anything.'),
    status: z.enum(['pending', 'ready']).describe('`pending`: presigned, and not confirmed yet.'),
    purpose: z.string().nullable(),
    metadata: z.record(z.string(), anyJson),
    createdAt: z.iso.datetime(),
    confirmedAt: z.iso.datetime().nullable().describe('When its bytes were found to be what was promised.'),
    expiresAt: z.iso.datetime().nullable().describe('While it is pending: when it is removed. Null: it is kept.'),
  })
  .meta({ id: 'File' });

export const presignedSchema = z
  .strictObject({
    fileId: z.string(),
    url: z.string().describe('Send the bytes here. It is a credential: whoever has it can upload.'),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('To be sent with the bytes, exactly so.'),
    expiresAt: z.iso.datetime().describe('Until when the upload may begin, and when an unconfirmed file is removed.'),
  })
  .meta({ id: 'PresignedFile' });

export function presentFile(file: FileRecord): z.input<typeof fileSchema> {
  return {
    id: file.id,
    filename: file.filename,
    contentType: file.contentType,
    size: file.size,
    sha256: file.sha256,
    status: file.status,
    purpose: file.purpose,
    metadata: file.metadata,
    createdAt: file.createdAt.toISOString(),
    confirmedAt: file.confirmedAt?.toISOString() ?? null,
    expiresAt: file.status === 'pending' ? file.expiresAt.toISOString() : null,
  };
}

export function auditOf(file: Pick<FileRecord, 'filename' | 'size'>): JsonObject {
  return { filename: file.filename, size: file.size };
}
