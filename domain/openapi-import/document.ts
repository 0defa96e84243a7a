import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import type { Issue } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { storageFault } from '../storable-text.ts';
import { DOCUMENT_BYTES_MAX, DOCUMENT_DEPTH_MAX, DOCUMENT_VALUES_MAX, YAML_ALIASES_MAX } from './limits.ts';
import { mayHoldTooManyValues } from './values.ts';

export type OpenApiVersion = '3.0' | '3.1' | '3.2';

export interface OpenApiDocument {
  root: JsonObject;
  version: OpenApiVersion;
  /** The title in `info`, shortened. */
  title: string;
}

export type ParsedDocument = { ok: true; document: OpenApiDocument } | { ok: false; issues: Issue[] };

const TITLE_CHARACTERS_MAX = 120;
const TOO_MANY_VALUES = `holds more than ${DOCUMENT_VALUES_MAX} values`;
const YAML_SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/** Reads a description: a text of JSON or YAML, or a JSON value. Paths of issues begin with `path`. */
export function parseDocument(source: unknown, path: string): ParsedDocument {
  const refuse = (message: string): ParsedDocument => ({ ok: false, issues: [{ path, message }] });
  const parsed = typeof source === 'string' ? parseText(source) : { value: source };
  if ('fault' in parsed) return refuse(parsed.fault);
  const { value } = parsed;
  const fault = structureFault(value);
  if (fault !== null) return refuse(fault);
  if (!isJsonObject(value)) return refuse('must be an OpenAPI description, which is an object');
  const { openapi, swagger, info } = value;
  if (typeof openapi !== 'string') {
    return refuse(
      swagger === undefined
        ? 'is no OpenAPI description: its member "openapi" must be a version in quotes, as "3.1.0"'
        : 'is Swagger 2.0; convert it to OpenAPI 3 first',
    );
  }
  const version = /^3\.[012](?=\.|$)/.exec(openapi)?.[0] as OpenApiVersion | undefined;
  if (version === undefined) {
    return refuse(`is of OpenAPI ${openapi.slice(0, 20)}; versions 3.0, 3.1 and 3.2 can be imported`);
  }
  // OpenAPI 3.1 allows a document without paths: one with only webhooks describes no call to import.
  if (value['paths'] !== undefined && !isJsonObject(value['paths'])) {
    return refuse('has a member "paths" that is no object');
  }
  const title = isJsonObject(info) && typeof info['title'] === 'string' ? info['title'] : '';
  return { ok: true, document: { root: value, version, title: shortened(title) } };
}

function shortened(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  return line === '' ? 'untitled' : Array.from(line).slice(0, TITLE_CHARACTERS_MAX).join('');
}

/** The parsers' own messages quote the text, which may hold a credential. The answer therefore names only the position. */
function parseText(text: string): { value: unknown } | { fault: string } {
  if (Buffer.byteLength(text) > DOCUMENT_BYTES_MAX) return { fault: `is larger than ${DOCUMENT_BYTES_MAX} bytes` };
  if (mayHoldTooManyValues(text)) return { fault: TOO_MANY_VALUES };
  if (/^\s*\{/.test(text)) {
    try {
      return { value: JSON.parse(text) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return { fault: 'begins like JSON and is not valid JSON' };
    }
  }
  try {
    const value = load(text, { schema: YAML_SCHEMA, maxDepth: DOCUMENT_DEPTH_MAX, maxAliases: YAML_ALIASES_MAX });
    return { value };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? '' : `, at line ${error.mark.line + 1}`;
    return { fault: `is not valid YAML: ${error.reason}${line}` };
  }
}

interface Frame {
  container: object;
  children: Iterator<unknown>;
  /** The depth of the deepest container below, as far as it is known. */
  height: number;
}

/**
 * Faults of a value's shape: cycles (YAML aliases), depth, size, what PostgreSQL cannot store. Visits containers once.
 */
function structureFault(root: unknown): string | null {
  const heights = new Map<object, number>();
  const open = new Set<object>();
  const frames: Frame[] = [];
  let nodes = 0;
  const enter = (value: unknown): string | null => {
    if (++nodes > DOCUMENT_VALUES_MAX) return TOO_MANY_VALUES;
    if (typeof value !== 'object' || value === null) return scalarFault(value);
    if (open.has(value)) return 'contains itself';
    const known = heights.get(value);
    if (frames.length + (known ?? 1) > DOCUMENT_DEPTH_MAX) return `is nested more than ${DOCUMENT_DEPTH_MAX} deep`;
    const top = frames.at(-1);
    if (known !== undefined) {
      if (top !== undefined) top.height = Math.max(top.height, known + 1);
      return null;
    }
    if (!Array.isArray(value)) {
      const fault = namesFault(Object.keys(value));
      if (fault !== null) return fault;
    }
    open.add(value);
    frames.push({ container: value, children: Object.values(value)[Symbol.iterator](), height: 1 });
    return null;
  };
  const first = enter(root);
  if (first !== null) return first;
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const next = frame.children.next();
    if (next.done !== true) {
      const fault = enter(next.value);
      if (fault !== null) return fault;
      continue;
    }
    frames.pop();
    open.delete(frame.container);
    heights.set(frame.container, frame.height);
    const parent = frames.at(-1);
    if (parent !== undefined) parent.height = Math.max(parent.height, frame.height + 1);
  }
  return null;
}

function namesFault(names: readonly string[]): string | null {
  for (const name of names) {
    if (name === '__proto__') return 'has a member "__proto__", which is not an allowed name';
    const fault = scalarFault(name);
    if (fault !== null) return fault;
  }
  return null;
}

function scalarFault(value: unknown): string | null {
  if (typeof value === 'string') return storageFault(value);
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'contains a number that JSON does not have';
  if (value === null || typeof value === 'boolean') return null;
  return 'contains a value that JSON does not have';
}
