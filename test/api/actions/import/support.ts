import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { z } from 'zod';
import type { importedOperationSchema } from '../../../../api/actions/import/import-body.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import type { CallResult } from '../../harness/test-api.ts';

export type ImportedOperation = z.infer<typeof importedOperationSchema>;

/** A description of a real API, as its owner publishes it (documents/NOTICE.md). */
export function realDocument(name: 'stripe' | 'github'): JsonObject {
  const file = new URL(`documents/${name}.json.br`, import.meta.url);
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as JsonObject;
}

/** A description of `count` operations, whose names contain this title. */
export function smallDocument(title: string, count = 2, more: JsonObject = {}): JsonObject {
  const paths: JsonObject = {};
  for (let index = 0; index < count; index++) {
    paths[`/things/${index}`] = { get: { operationId: `${title}.get-${index}`, summary: 'Get it', responses: {} } };
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths,
    ...more,
  };
}

export function importedBy(reply: CallResult): ImportedOperation[] {
  if (reply.status !== 200) throw new Error(`expected 200, got ${reply.status} ${reply.text.slice(0, 1_000)}`);
  return (reply.json as { data: ImportedOperation[] }).data;
}

export function countsOf(operations: readonly ImportedOperation[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of operations) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
