import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import type { Issue } from '../errors.ts';

export const DOCUMENT_BYTES_MAX = 128 * 1024;
const TEXT_DEPTH_MAX = 20;

export type ReadText = { ok: true; value: unknown } | { ok: false; issues: Issue[] };

/** Parses one YAML 1.2 or JSON document, up to the first error: the package `yaml` goes on, which takes seconds. */
export function parseDocumentText(source: string, root: string): ReadText {
  const refuse = (message: string): ReadText => ({ ok: false, issues: [{ path: root, message }] });
  if (Buffer.byteLength(source, 'utf8') > DOCUMENT_BYTES_MAX) {
    return refuse(`is longer than ${DOCUMENT_BYTES_MAX} bytes`);
  }
  try {
    return { ok: true, value: load(source, { schema: CORE_SCHEMA, maxDepth: TEXT_DEPTH_MAX, maxAliases: 0 }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const place = error.mark === undefined ? '' : `, at line ${error.mark.line + 1}, column ${error.mark.column + 1}`;
    return refuse(`is not YAML that can be taken: ${error.reason.slice(0, 200)}${place}`);
  }
}

/** A document given as an object is limited by the length of its JSON text, so that each fits into a file too. */
export function boundDocument(value: unknown, root: string): ReadText {
  const text = JSON.stringify(value) ?? '';
  if (Buffer.byteLength(text, 'utf8') <= DOCUMENT_BYTES_MAX) return { ok: true, value };
  return { ok: false, issues: [{ path: root, message: `is longer than ${DOCUMENT_BYTES_MAX} bytes` }] };
}
