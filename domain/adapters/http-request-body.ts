import type { Issue } from '../errors.ts';
import { isJsonObject, type Json } from '../json.ts';
import { parseTemplate, referencesOf, soleReference, type Template, type TemplatePlace } from './templates.ts';
import type { BodyNode } from './http-request-body-node.ts';
import { isJsonMediaType, mediaTypeOf } from './media-types.ts';
import { holdsFile, inOrderOfParts, MULTIPART_MEDIA_TYPE, multipartIssues } from './http-request-multipart.ts';
import type { BodyFormConfig } from './http-request-parameters.ts';

export type CompiledBody =
  | { kind: 'json'; node: BodyNode }
  | { kind: 'form'; node: BodyNode; form: BodyFormConfig }
  | { kind: 'text'; template: Template; form: boolean }
  | { kind: 'file'; template: Template }
  | { kind: 'multipart'; members: [string, BodyNode][] };

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';
const METHODS_WITHOUT_BODY: readonly string[] = ['GET', 'HEAD'];
const IN_BODY: TemplatePlace = { secrets: true, response: false, files: true };

interface BodyConfig {
  method: string;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  bodyForm?: BodyFormConfig | undefined;
  bodyOptional?: boolean | undefined;
}

type Parse = (source: string, at: string, place: TemplatePlace) => Template;

/** A body with its templates parsed, in the form that its media type asks for. */
export function compileBody(config: BodyConfig, issues: Issue[], parse: Parse): CompiledBody | null {
  if (config.body === undefined) {
    for (const member of ['bodyForm', 'bodyOptional'] as const) {
      if (config[member] !== undefined) issues.push({ path: member, message: 'is for a config with a body' });
    }
    return null;
  }
  if (METHODS_WITHOUT_BODY.includes(config.method)) {
    issues.push({ path: 'body', message: `is not sent with ${config.method}; leave it out` });
    return null;
  }
  const mediaType = declaredMediaType(config);
  const file = wholeFile(config, parse);
  if (file !== null) {
    if (config.bodyForm === undefined && mediaType !== MULTIPART_MEDIA_TYPE) return { kind: 'file', template: file };
    issues.push({ path: 'body', message: 'is a file and nothing else, which is sent as it is: leave the form out' });
    return null;
  }
  // A text under this type brings its own boundary, and is sent as it is.
  if (mediaType === MULTIPART_MEDIA_TYPE && config.bodyForm === undefined && typeof config.body !== 'string') {
    const node = compileNode(config.body as Json, 'body', issues, parse);
    issues.push(...multipartIssues(node));
    return { kind: 'multipart', members: 'members' in node ? inOrderOfParts(node.members) : [] };
  }
  if (config.bodyForm !== undefined) {
    if (mediaType !== null && mediaType !== FORM_MEDIA_TYPE) {
      issues.push({ path: 'bodyForm', message: `writes ${FORM_MEDIA_TYPE}, and the content-type is ${mediaType}` });
    }
    const node = compileNode(config.body as Json, 'body', issues, parse);
    if (holdsFile(node)) issues.push({ path: 'body', message: `holds a file, which ${FORM_MEDIA_TYPE} cannot carry` });
    return { kind: 'form', node, form: config.bodyForm };
  }
  if (mediaType === null || isJsonMediaType(mediaType)) {
    return { kind: 'json', node: compileNode(config.body as Json, 'body', issues, parse) };
  }
  if (typeof config.body !== 'string') {
    issues.push({ path: 'body', message: `must be a string where the content-type is ${mediaType}` });
    return null;
  }
  const form = mediaType === FORM_MEDIA_TYPE;
  return { kind: 'text', template: parse(config.body, 'body', { ...IN_BODY, files: false }), form };
}

/** The template of a body that is one file and nothing else. */
function wholeFile({ body }: BodyConfig, parse: Parse): Template | null {
  if (typeof body !== 'string') return null;
  const parsed = parseTemplate(body, IN_BODY);
  return parsed.ok && soleReference(parsed.template)?.kind === 'file' ? parse(body, 'body', IN_BODY) : null;
}

/** Only a whole body can be left out, so that its one reference decides. */
export function presenceOf(config: BodyConfig, issues: Issue[]): Template | null {
  if (config.bodyOptional !== true || config.body === undefined) return null;
  const parsed = typeof config.body === 'string' ? parseTemplate(config.body, IN_BODY) : null;
  if (parsed?.ok === true && soleReference(parsed.template) !== null) return parsed.template;
  issues.push({ path: 'bodyOptional', message: 'needs a body that is one reference and nothing else' });
  return null;
}

function compileNode(value: Json, at: string, issues: Issue[], parse: Parse): BodyNode {
  if (typeof value === 'string') {
    const leaf = parse(value, at, IN_BODY);
    const mixed = soleReference(leaf) === null && referencesOf(leaf).some(({ kind }) => kind === 'file');
    if (mixed) issues.push({ path: at, message: 'has a file beside other text; a file stands alone' });
    return { leaf, at };
  }
  if (Array.isArray(value))
    return { items: value.map((item, index) => compileNode(item, `${at}[${index}]`, issues, parse)) };
  if (!isJsonObject(value)) return { constant: value };
  return {
    members: Object.entries(value).map(([name, member]) => {
      if (name.includes('{{'))
        issues.push({ path: `${at}.${name}`, message: 'is a name; only values can be templates' });
      return [name, compileNode(member, `${at}.${name}`, issues, parse)];
    }),
  };
}

/** The media type that the config declares, lower case and without parameters. */
function declaredMediaType(config: BodyConfig): string | null {
  const header = Object.entries(config.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type');
  return header === undefined ? null : mediaTypeOf(header[1]);
}
