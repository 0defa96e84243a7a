import { isMap, isScalar, parseDocument, visit, type Document, type YAMLMap } from 'yaml';
import type { Issue } from '../errors.ts';

export const DOCUMENT_BYTES_MAX = 256 * 1024;

export type ReadText = { ok: true; value: unknown } | { ok: false; issues: Issue[] };

/** One document of YAML 1.2 (so JSON too): no aliases, no tags, no doubled keys. */
export function parseDocumentText(source: string, root: string): ReadText {
  const refuse = (message: string): ReadText => ({ ok: false, issues: [{ path: root, message }] });
  if (Buffer.byteLength(source, 'utf8') > DOCUMENT_BYTES_MAX)
    return refuse(`is longer than ${DOCUMENT_BYTES_MAX} bytes`);
  try {
    // The library looks for doubled keys in quadratic time; doubledKey below does it in linear time.
    const document = parseDocument(source, { schema: 'core', version: '1.2', uniqueKeys: false, prettyErrors: true });
    const broken = document.errors[0] ?? document.warnings[0];
    if (broken !== undefined) return refuse(`is not YAML: ${firstLine(broken.message)}`);
    const forbidden = forbiddenPart(document);
    if (forbidden !== null) return refuse(forbidden);
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) as unknown };
  } catch (error) {
    if (error instanceof RangeError) return refuse('is nested too deeply');
    if (error instanceof Error) return refuse(`is not YAML: ${firstLine(error.message)}`);
    throw error;
  }
}

function forbiddenPart(document: Document.Parsed): string | null {
  let found: string | null = null;
  visit(document, {
    Alias() {
      found = 'uses an alias (*name): write the value out';
      return visit.BREAK;
    },
    Node(_key, node) {
      if (node.tag !== undefined) found = `uses the tag ${node.tag}: leave it out`;
      else if (isMap(node)) found = doubledKey(node);
      return found === null ? undefined : visit.BREAK;
    },
  });
  return found;
}

function doubledKey(map: YAMLMap): string | null {
  const keys = new Set<string>();
  for (const { key } of map.items) {
    const name = isScalar(key) ? key.value : undefined;
    if (typeof name !== 'string') return 'has a key that is not a string';
    if (keys.has(name)) return `has the key ${JSON.stringify(name.slice(0, 100))} twice`;
    keys.add(name);
  }
  return null;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').slice(0, 200);
}
