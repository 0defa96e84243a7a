import { createHash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { fileSchema, presignedSchema } from '../../../api/files/schemas.ts';
import type { FixtureRequest } from '../suites/world.ts';
import type { CallResult, TestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

export type TestFile = z.infer<typeof fileSchema>;

export interface Part {
  name: string;
  filename?: string;
  contentType?: string;
  content: string | Uint8Array;
}

/** A multipart body, as a browser or curl makes it. */
export function multipart(parts: readonly Part[]): { raw: Buffer; headers: Record<string, string> } {
  const boundary = `----test-${randomUUID()}`;
  const pieces = parts.flatMap(({ name, filename, contentType, content }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
      `${contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`}\r\n`,
    content,
    '\r\n',
  ]);
  const raw = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
  return { raw, headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` } };
}

export const invoice = (content: string | Uint8Array = 'an invoice'): Part => ({
  name: 'file',
  filename: 'invoice.pdf',
  contentType: 'application/pdf',
  content,
});

export const sha256Of = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

export const fileIn = (reply: CallResult): TestFile => dataOf(reply, fileSchema);
export const presignedIn = (reply: CallResult): z.infer<typeof presignedSchema> => dataOf(reply, presignedSchema);

/** A file that is ready. */
export async function upload(
  api: Pick<TestApi, 'call'>,
  key: string,
  parts: readonly Part[] = [invoice()],
): Promise<TestFile> {
  return fileIn(await api.call('POST', '/api/v2/files', { key, ...multipart(parts) }));
}

export function presign(api: Pick<TestApi, 'call'>, key: string, body: Record<string, unknown>): Promise<CallResult> {
  return api.call('POST', '/api/v2/files/presign', { key, body });
}

/** Sends bytes to a presigned URL of our own, which names the public host of the tests. */
export function put(
  api: Pick<TestApi, 'call'>,
  { url, headers }: { url: string; headers: Record<string, string> },
  content: string | Uint8Array,
): Promise<CallResult> {
  const { pathname, search } = new URL(url);
  return api.call('PUT', `${pathname}${search}`, { raw: content, headers });
}

/** The request of a fixture for the public route that takes a presigned upload. */
export function putRequest({ fileId, url }: { fileId: string; url: string }, content: string): FixtureRequest {
  const query = Object.fromEntries(new URL(url).searchParams);
  return { params: { fileId }, query, raw: Buffer.from(content), headers: { 'Content-Type': 'application/pdf' } };
}
