import { isJsonMediaType, mediaTypeOf } from '../adapters/media-types.ts';
import type { BodyFormConfig, ParameterStyle } from '../adapters/http-request-parameters.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import type { Operation } from './operations.ts';
import { NotImportable, resolveObject, textIn } from './references.ts';

export interface PlannedBody {
  schema: Json;
  required: boolean;
  description: Json;
  /** Set if it differs from the default for the kind of body. */
  contentType: string | null;
  form: BodyFormConfig | null;
}

export type BodyResult = { body: PlannedBody | null; notes: string[] };

const METHODS_WITHOUT_BODY: readonly string[] = ['GET', 'HEAD'];
const FORM = 'application/x-www-form-urlencoded';
const ENCODING_STYLES: readonly ParameterStyle[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'];

/** JSON before a form before text. Throws NotImportable where a required body cannot be written. */
export function planBody({ root }: OpenApiDocument, { method, operation }: Operation): BodyResult {
  const declared = resolveObject(root, operation['requestBody']);
  if (declared === null) return { body: null, notes: [] };
  const required = declared['required'] === true;
  const content = isJsonObject(declared['content']) ? declared['content'] : {};
  const types = Object.keys(content);
  if (METHODS_WITHOUT_BODY.includes(method)) {
    if (required) throw new NotImportable(`needs a body, which is not sent with ${method}`);
    const isEmpty = types.every((type) => isEmptyMedia(root, content[type]));
    return { body: null, notes: isEmpty ? [] : [`its body is not sent with ${method}`] };
  }
  const type =
    types.find((candidate) => mediaTypeOf(candidate) === 'application/json') ??
    types.find((candidate) => isJsonMediaType(mediaTypeOf(candidate)) || mediaTypeOf(candidate) === '*/*') ??
    types.find((candidate) => mediaTypeOf(candidate) === FORM) ??
    types.find((candidate) => /^text\/[\w.+-]+$/.test(mediaTypeOf(candidate)));
  if (type === undefined) {
    if (types.length === 0) return { body: null, notes: [] };
    const what = `its body is ${types.join(', ').slice(0, 100)}, which cannot be written`;
    if (required) throw new NotImportable(`${what}, and it is required`);
    return { body: null, notes: [`${what} and was left out`] };
  }
  const media = resolveObject(root, content[type]) ?? {};
  const base = { required, description: declared['description'] ?? null };
  return { body: { ...base, ...bodyOf(root, mediaTypeOf(type), media) }, notes: [] };
}

function bodyOf(
  root: JsonObject,
  type: string,
  media: JsonObject,
): Pick<PlannedBody, 'schema' | 'contentType' | 'form'> {
  const schema = media['schema'] ?? {};
  if (type === FORM) return { schema, contentType: null, form: formOf(root, schema, media['encoding']) };
  if (type === 'application/json' || type === '*/*') return { schema, contentType: null, form: null };
  if (isJsonMediaType(type)) return { schema, contentType: type, form: null };
  return { schema: { type: 'string' }, contentType: type, form: null };
}

function isEmptyMedia(root: JsonObject, media: Json | undefined): boolean {
  const schema = resolveObject(root, isJsonObject(media) ? media['schema'] : undefined) ?? {};
  return !isJsonObject(schema['properties']) || Object.keys(schema['properties']).length === 0;
}

/** How form members are written: a list repeated, an object as JSON. Stripe declares `deepObject`: a short rule. */
function formOf(root: JsonObject, schema: Json, encoding: Json | undefined): BodyFormConfig {
  const properties = resolveObject(root, schema)?.['properties'];
  const said = isJsonObject(encoding) ? encoding : {};
  const ways = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, property]) => {
    const type = resolveObject(root, property)?.['type'];
    if (['string', 'integer', 'number', 'boolean'].includes(textIn(type))) return [];
    const own = Object.hasOwn(said, name) ? said[name] : undefined;
    return [[name, wayOf(isJsonObject(own) ? own : {}, type)] as const];
  });
  const deep = ways.filter(([, way]) => way.style === 'deepObject').length;
  const isDeep = deep * 2 > ways.length;
  const others = ways.filter(([, way]) => (isDeep ? way.style !== 'deepObject' : Object.keys(way).length > 0));
  const exceptions = others.map(([name, way]) => [
    name,
    isDeep && way.style === undefined ? { ...way, style: 'form' as const } : way,
  ]);
  return {
    ...(isDeep ? { style: 'deepObject' as const } : {}),
    ...(exceptions.length > 0 ? { properties: Object.fromEntries(exceptions) as BodyFormConfig['properties'] } : {}),
  };
}

function wayOf(encoding: JsonObject, type: Json | undefined): { style?: ParameterStyle; explode?: boolean } {
  const style = ENCODING_STYLES.find((candidate) => candidate === encoding['style']);
  const { explode, contentType } = encoding;
  if (style === undefined && explode === undefined) {
    const isJson = typeof contentType === 'string' ? isJsonMediaType(mediaTypeOf(contentType)) : type === 'object';
    return isJson ? { style: 'json' } : {};
  }
  return {
    ...(style === undefined || style === 'form' ? {} : { style }),
    ...(typeof explode === 'boolean' && style !== 'deepObject' ? { explode } : {}),
  };
}
