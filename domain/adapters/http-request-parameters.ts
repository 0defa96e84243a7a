import { z } from 'zod';
import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../errors.ts';
import { type ExactJson, isJsonObject } from '../json.ts';
import { pathText } from '../json-path.ts';
import { isWellFormed } from '../storable-text.ts';
import {
  chargeText,
  percentEncode,
  renderHeader,
  type Rendering,
  renderLeaf,
  renderQueryPair,
  resolves,
} from './template-rendering.ts';
import { soleReference, type Template } from './templates.ts';
import { headerNameIssue } from './http-request-rules.ts';

/**
 * Parameters: values that may be left out, lists and objects, in OpenAPI's styles. `json` writes any value as JSON
 * text. `deepObject` nests without end and numbers items (`items[0][price]=…`). Other styles write nested values as
 * JSON.
 */
const STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'simple', 'json'] as const;
export type ParameterStyle = (typeof STYLES)[number];

export interface Encoding {
  style: ParameterStyle;
  explode: boolean;
}

const encodingMembers = { style: z.enum(STYLES).optional(), explode: z.boolean().optional() };

export const parameterSchema = z.strictObject({
  in: z.enum(['query', 'header', 'cookie']),
  name: z.string().min(1).max(256),
  value: z.string().min(1).max(8192),
  ...encodingMembers,
});

export const bodyFormSchema = z.strictObject({
  ...encodingMembers,
  properties: z.record(z.string().min(1).max(256), z.strictObject(encodingMembers)).optional(),
});

export type ParameterConfig = z.infer<typeof parameterSchema>;
export type BodyFormConfig = z.infer<typeof bodyFormSchema>;

export interface CompiledParameter {
  in: ParameterConfig['in'];
  name: string;
  value: Template;
  encoding: Encoding;
  at: string;
}

/** The names that are written as they are. */
const COOKIE_NAME = /^[A-Za-z0-9._~-]+$/;

export function compileParameter(parameter: ParameterConfig, value: Template, at: string): CompiledParameter {
  return { in: parameter.in, name: parameter.name, value, encoding: encodingOf(parameter, parameter.in), at };
}

/** `form` explodes by default, as in OpenAPI. */
export function encodingOf(
  { style, explode }: { style?: ParameterStyle | undefined; explode?: boolean | undefined },
  place: ParameterConfig['in'] | 'body',
): Encoding {
  const chosen = style ?? (place === 'header' ? 'simple' : 'form');
  return { style: chosen, explode: explode ?? chosen === 'form' };
}

/** What is wrong with the parameters of a config; `headers` are the names that it sets itself, in lower case. */
export function parameterIssues(parameters: readonly CompiledParameter[], headers: ReadonlySet<string>): Issue[] {
  const seen = new Set<string>();
  return parameters.flatMap((parameter) => {
    const { in: place, name, at, value } = parameter;
    const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
    const message = nameFault(place, name, headers) ?? (seen.has(key) ? 'is given twice' : null);
    seen.add(key);
    const issues: Issue[] = message === null ? [] : [{ path: `${at}.name`, message }];
    if (soleReference(value) === null) {
      issues.push({ path: `${at}.value`, message: 'must be one reference and nothing else, such as {{input.limit}}' });
    }
    return issues;
  });
}

function nameFault(place: ParameterConfig['in'], name: string, headers: ReadonlySet<string>): string | null {
  if (name.includes('{{')) return 'is a name; only values can be templates';
  if (!isWellFormed(name)) return 'is not well-formed Unicode';
  if (place === 'query') return null;
  if (place === 'cookie') {
    if (headers.has('cookie')) return 'would add to the cookie header, which headers sets already';
    return COOKIE_NAME.test(name) ? null : 'is not the name of a cookie';
  }
  const lower = name.toLowerCase();
  if (lower === 'content-type' || lower === 'cookie') return 'belongs into headers; it is not for a parameter';
  return headerNameIssue(name) ?? (headers.has(lower) ? 'is set in headers already' : null);
}

export interface RenderedParameters {
  /** Encoded name=value pairs of the query. */
  pairs: string[];
  headers: [string, string][];
}

/** The parameters that the input has a value for. Null is none. */
export function renderParameters(parameters: readonly CompiledParameter[], rendering: Rendering): RenderedParameters {
  const rendered: RenderedParameters = { pairs: [], headers: [] };
  const cookies: string[] = [];
  for (const { in: place, name, value: template, encoding, at } of parameters) {
    const where = `adapter.config.${at}.value`;
    if (!resolves(template, rendering)) continue;
    if (soleReference(template)?.kind === 'secret') {
      if (place === 'query') rendered.pairs.push(renderQueryPair(name, template, where, rendering));
      else if (place === 'header') rendered.headers.push([name, renderHeader(template, where, rendering)]);
      else cookies.push(renderQueryPair(name, template, where, rendering));
      continue;
    }
    const value = renderLeaf(template, where, rendering);
    if (value === null) continue;
    const path = template.source.slice(2, -2).trim();
    if (refusesDelimiter(value, encoding, place, path, rendering)) continue;
    if (place === 'header') {
      const text = joined(value, encoding.explode, ',', String);
      // Rendered as a template, so that the same characters are refused in a header.
      const literal = { source: text, segments: [{ text }] };
      rendered.headers.push([name, renderHeader(literal, where, rendering)]);
      continue;
    }
    const pairs = encodedPairs(name, value, encoding, where, rendering);
    if (place === 'query') rendered.pairs.push(...pairs);
    else cookies.push(...pairs);
  }
  if (cookies.length > 0) rendered.headers.push(['cookie', cookies.join('; ')]);
  return rendered;
}

/** A body of `application/x-www-form-urlencoded`: each member of the value by its own encoding, in the order of their names. */
export function renderForm(value: ExactJson, form: BodyFormConfig, at: string, rendering: Rendering): string {
  if (!isJsonObject(value)) {
    rendering.issues.push({ path: at, message: 'does not become an object, which a form is made of' });
    return '';
  }
  return sorted(value)
    .flatMap(([name, member]) => {
      const own = form.properties !== undefined && Object.hasOwn(form.properties, name) ? form.properties[name] : form;
      const encoding = encodingOf(own ?? form, 'body');
      if (refusesDelimiter(member, encoding, 'body', pathText(at, [name]), rendering)) return [];
      return encodedPairs(name, member, encoding, at, rendering);
    })
    .join('&');
}

/** What separates the items of a list, by style; the styles that repeat or nest have nothing of the kind. */
const DELIMITERS: ReadonlyMap<ParameterStyle, string> = new Map([
  ['form', ','],
  ['simple', ','],
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
]);

/** Adds an issue where an item or a name holds its separator: targets decode before they split. */
function refusesDelimiter(
  value: ExactJson,
  { style, explode }: Encoding,
  place: ParameterConfig['in'] | 'body',
  path: string,
  rendering: Rendering,
): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (style === 'deepObject' && place !== 'header') return refusesBrackets(value, path, rendering);
  const delimiter = place === 'header' ? ',' : DELIMITERS.get(style);
  if (delimiter === undefined || (style === 'form' && explode && place !== 'header')) return false;
  const nameDelimiters = place === 'header' && explode ? [delimiter, '='] : [delimiter];
  for (const [key, item] of Object.entries(value)) {
    const at = pathText(path, [Array.isArray(value) ? Number(key) : key]);
    const inName = Array.isArray(value) ? undefined : nameDelimiters.find((character) => key.includes(character));
    const held = inName ?? (textOf(item).includes(delimiter) ? delimiter : undefined);
    if (held === undefined) continue;
    const what = inName === undefined ? 'holds' : 'has a name that holds';
    const message = `${what} ${JSON.stringify(held)}, which separates the items here: its target would read two`;
    rendering.issues.push({ path: at, message });
    return true;
  }
  return false;
}

function refusesBrackets(value: ExactJson, path: string, rendering: Rendering): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => {
    const at = pathText(path, [Array.isArray(value) ? Number(key) : key]);
    if (!/[[\]]/.test(key)) return refusesBrackets(member, at, rendering);
    rendering.issues.push({ path: at, message: 'has a name that holds a bracket, which encloses the names here' });
    return true;
  });
}

function encodedPairs(name: string, value: ExactJson, encoding: Encoding, at: string, rendering: Rendering): string[] {
  const pairs: string[] = [];
  for (const [key, text] of pairsOf(name, value, encoding)) {
    // A long name is repeated before each of its leaves. The budget therefore counts what is written, not only what was read.
    if (!chargeText(key.length + text.length, rendering)) return [];
    if (!isWellFormed(key) || !isWellFormed(text)) {
      rendering.issues.push({ path: at, message: 'is not well-formed Unicode' });
      return [];
    }
    pairs.push(`${percentEncode(key)}=${text}`);
  }
  return pairs;
}

/** The pairs that a value makes; values are encoded already, because a separator between two of them must not be. */
function* pairsOf(name: string, value: ExactJson, { style, explode }: Encoding): Generator<[string, string]> {
  if (value === null) return;
  if (style === 'json') yield [name, encode(canonicalJson(value))];
  else if (typeof value !== 'object') yield [name, encode(String(value))];
  else if (style === 'deepObject') yield* deepPairs(name, value);
  else if (style === 'form' && explode) {
    const parts: [string, ExactJson][] = Array.isArray(value) ? value.map((item) => [name, item]) : sorted(value);
    for (const [key, part] of parts) if (part !== null) yield [key, encode(textOf(part))];
  } else {
    const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
    const text = joined(value, false, separator, encode);
    if (text !== '') yield [name, text];
  }
}

function* deepPairs(name: string, value: ExactJson): Generator<[string, string]> {
  if (value === null) return;
  if (typeof value !== 'object') yield [name, encode(String(value))];
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* deepPairs(`${name}[${index}]`, item);
  } else for (const [key, member] of sorted(value)) yield* deepPairs(`${name}[${key}]`, member);
}

function joined(value: ExactJson, explode: boolean, separator: string, write: (text: string) => string): string {
  if (value === null || typeof value !== 'object') return write(textOf(value));
  if (Array.isArray(value)) return value.map((item) => write(textOf(item))).join(separator);
  const members = sorted(value).map(([key, member]) =>
    [write(key), write(textOf(member))].join(explode ? '=' : separator),
  );
  return members.join(separator);
}

/** A database does not keep the order of members, and the same input must make the same bytes. */
function sorted(value: { [key: string]: ExactJson }): [string, ExactJson][] {
  return Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
}

function textOf(value: ExactJson): string {
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

/** Text that is not well-formed must not throw here: the caller reports it. */
function encode(text: string): string {
  return isWellFormed(text) ? percentEncode(text) : text;
}
