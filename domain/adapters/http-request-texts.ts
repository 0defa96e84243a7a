import type { ActionDefinition } from '../actions.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { PathStep } from '../json-path.ts';
import { FILE_PREFIX, parseTemplate, soleReference } from './templates.ts';
import type { WrittenText } from './adapter-descriptor.ts';
import type { HttpRequestConfig } from './http-request-config.ts';

/** Every text of an `http.request` definition, its read-back included. The config was parsed before. */
export function textsOfHttpRequest({ adapter, verify }: ActionDefinition): WrittenText[] {
  const config = adapter.config as unknown as HttpRequestConfig;
  const at = (path: string) => `adapter.config.${path}`;
  const sent = { name: null, mayBeLeftOut: false, ofVerify: false };
  const texts: WrittenText[] = [{ ...sent, path: at('url'), text: config.url, place: 'url' }];
  for (const [name, value] of Object.entries(config.query ?? {})) {
    texts.push({ ...sent, path: at(`query.${name}`), text: String(value), place: 'query', name });
  }
  for (const [name, text] of Object.entries(config.headers ?? {})) {
    texts.push({ ...sent, path: at(`headers.${name}`), text, place: 'header', name });
  }
  for (const [index, { in: place, name, value }] of (config.parameters ?? []).entries()) {
    const path = at(`parameters[${index}].value`);
    texts.push({ ...sent, path, text: value, place: place === 'query' ? 'query' : 'header', name, mayBeLeftOut: true });
  }
  const mayBeLeftOut = config.bodyOptional === true;
  for (const [path, text] of leavesOf((config.body ?? null) as Json, at('body'))) {
    texts.push({ ...sent, path, text, place: 'body', mayBeLeftOut });
  }
  return verify === null ? texts : [...texts, ...textsOfVerify(verify)];
}

export function filePathsOf({ adapter }: ActionDefinition): PathStep[][] {
  const { body } = adapter.config as unknown as HttpRequestConfig;
  const paths: PathStep[][] = [];
  for (const [, text] of leavesOf((body ?? null) as Json, 'body')) {
    // Most bodies hold none, and each admission asks.
    if (!text.includes(FILE_PREFIX)) continue;
    const parsed = parseTemplate(text, { secrets: true, response: false, files: true });
    const reference = parsed.ok ? soleReference(parsed.template) : null;
    if (reference?.kind === 'file') paths.push(reference.steps);
  }
  return paths;
}

function textsOfVerify(verify: NonNullable<ActionDefinition['verify']>): WrittenText[] {
  const common = { name: null, mayBeLeftOut: false, ofVerify: true };
  const { url, headers = {} } = verify.request;
  const texts: WrittenText[] = [{ ...common, path: 'verify.request.url', text: url, place: 'url' }];
  for (const [name, text] of Object.entries(headers)) {
    texts.push({ ...common, path: `verify.request.headers.${name}`, text, place: 'header', name });
  }
  for (const list of ['expect', 'pending', 'failed'] as const) {
    for (const [index, { value }] of (verify[list] ?? []).entries()) {
      for (const [path, text] of leavesOf(value ?? null, `verify.${list}[${index}].value`)) {
        texts.push({ ...common, path, text, place: 'expected' });
      }
    }
  }
  return texts;
}

function* leavesOf(value: Json, path: string): Generator<[string, string]> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* leavesOf(item, `${path}[${index}]`);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* leavesOf(member, `${path}.${name}`);
  }
}
