import { lossOf } from './kept-response.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../errors.ts';
import { attachmentOf, type Attachment } from '../files/attachments.ts';
import type { ExactJson, Json } from '../json.ts';
import { isWellFormed } from '../storable-text.ts';
import {
  type Reference,
  resolveReference,
  type Segment,
  soleReference,
  type Template,
  type TemplateScope,
} from './templates.ts';

/** Collects what went wrong while a request is rendered; one that has issues is not sent. */
export interface Rendering {
  scope: TemplateScope;
  issues: Issue[];
  /** A small input named many times must not become a huge request. */
  charactersLeft: number;
  sizes: Map<object, number>;
  /** Referenced secrets that the scope does not hold. */
  missingSecrets: Set<string>;
  /** The files whose marks stand in what was rendered, in the order of their marks. */
  files: Attachment[];
}

/** 4 Mi characters: four times the largest request body that the API takes. */
const REQUEST_CHARACTERS_MAX = 4_194_304;

export function newRendering(scope: TemplateScope): Rendering {
  return {
    scope,
    issues: [],
    charactersLeft: REQUEST_CHARACTERS_MAX,
    sizes: new Map(),
    missingSecrets: new Set(),
    files: [],
  };
}

/** False, with an issue, beyond the largest request, or where a stored response lost its value. */
function take(value: ExactJson, reference: Reference, at: string, rendering: Rendering): boolean {
  if (!chargeText(sizeOf(value, rendering), rendering)) return false;
  if (reference.kind !== 'value' || reference.root !== 'response') return true;
  const loss = lossOf(value, reference.steps[0] === 'headers' ? 'headers' : 'other');
  if (loss === null) return true;
  rendering.issues.push({ path: reference.source.slice(2, -2), message: `${loss}; ${at} needs it whole` });
  return false;
}

/** Counts characters that are written beside the values. False, with one issue, once the budget is exceeded. */
export function chargeText(characters: number, rendering: Rendering): boolean {
  const wasWithin = rendering.charactersLeft >= 0;
  rendering.charactersLeft -= characters;
  if (wasWithin && rendering.charactersLeft < 0) {
    rendering.issues.push({
      path: 'input',
      message: `makes a request of more than ${REQUEST_CHARACTERS_MAX} characters`,
    });
  }
  return rendering.charactersLeft >= 0;
}

function sizeOf(value: ExactJson, rendering: Rendering): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  const known = rendering.sizes.get(value) ?? canonicalJson(value).length;
  rendering.sizes.set(value, known);
  return known;
}

/** The header values that HTTP can carry: visible characters, blanks and the upper half of Latin-1. */
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;
const NOT_IN_URL = /[\p{Cc}\s\\]/u;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

type Encode = (text: string) => string;
const asIs: Encode = (text) => text;

/** Percent-encodes all but the unreserved characters of RFC 3986, so that a value cannot change the structure of a URL. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Renders to text. If the scope has no secrets, the placeholder `{{secret:NAME}}` is written, never encoded. */
function renderText(template: Template, at: string, rendering: Rendering, encode: Encode): string {
  let text = '';
  for (const segment of template.segments) {
    text += 'text' in segment ? segment.text : referenceText(segment.reference, at, rendering, encode);
  }
  return text;
}

function referenceText(reference: Reference, at: string, rendering: Rendering, encode: Encode): string {
  const resolved = resolveReference(reference, rendering.scope);
  if (resolved.kind === 'secret') return secretText(reference, resolved, at, rendering, encode);
  if (resolved.kind === 'missing') {
    rendering.issues.push({ path: resolved.path, message: `is missing; ${at} needs it` });
    return '';
  }
  // A config whose file stands beside other text was refused when it was written.
  if (resolved.kind === 'file') throw new Error(`${at} was written as text, and holds a file`);
  const { value } = resolved;
  const path = reference.source.slice(2, -2);
  if (value === null || typeof value === 'object') {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object';
    rendering.issues.push({ path, message: `is ${kind}, which cannot become text in ${at}` });
    return '';
  }
  const text = String(value);
  if (!take(text, reference, at, rendering)) return '';
  if (!isWellFormed(text)) {
    rendering.issues.push({ path, message: `is not well-formed Unicode, which ${at} needs` });
    return '';
  }
  return encode(text);
}

function secretText(
  reference: Reference,
  resolved: { name: string; value: string | undefined },
  at: string,
  rendering: Rendering,
  encode: Encode,
): string {
  if (rendering.scope.secrets === undefined) return reference.source;
  if (resolved.value === undefined) {
    rendering.missingSecrets.add(resolved.name);
    return '';
  }
  if (!isWellFormed(resolved.value)) {
    rendering.issues.push({ path: at, message: `the secret ${resolved.name} is not well-formed Unicode` });
    return '';
  }
  return encode(resolved.value);
}

export function renderHeader(template: Template, at: string, rendering: Rendering): string {
  const value = renderText(template, at, rendering, asIs);
  if (!HEADER_VALUE.test(value)) {
    rendering.issues.push({
      path: at,
      message:
        'would hold a line break, another control character or one outside of Latin-1, which a header cannot carry',
    });
    return '';
  }
  return value;
}

export function renderQueryPair(name: string, template: Template, at: string, rendering: Rendering): string {
  return `${percentEncode(name)}=${renderText(template, at, rendering, percentEncode)}`;
}

/** A body that is text. In a form, values are encoded so that `&` and `=` in them add no parameter. */
export function renderBodyText(template: Template, at: string, rendering: Rendering, form: boolean): string {
  const whole = soleReference(template) !== null;
  return renderText(template, at, rendering, form && !whole ? percentEncode : asIs);
}

/** A leaf of a JSON body: one reference and nothing else keeps its JSON type, else it is text. */
export function renderLeaf(template: Template, at: string, rendering: Rendering): ExactJson {
  const reference = soleReference(template);
  if (reference === null || reference.kind === 'secret') return renderText(template, at, rendering, asIs);
  const resolved = resolveReference(reference, rendering.scope);
  if (resolved.kind === 'file') return markOfFile(resolved.value, resolved.path, rendering);
  if (resolved.kind === 'value') return take(resolved.value, reference, at, rendering) ? resolved.value : null;
  if (resolved.kind === 'missing')
    rendering.issues.push({ path: resolved.path, message: `is missing; ${at} needs it` });
  return null;
}

/** Stands for a file's bytes in a rendered text; `splitAtFiles` cuts there. An input that spells a mark is refused. */
const FILE_MARK = /\uE000file:(\d+)\uE000/;

/** A text in the place of the file that the input holds at `path`. */
export function markOfFile(value: ExactJson, path: string, rendering: Rendering): string {
  const file = attachmentOf(value as Json); // no bigint is one
  if (file === null) {
    rendering.issues.push({ path, message: 'must be the id of a file, such as fil_…' });
    return '';
  }
  rendering.files.push(file);
  return `\uE000file:${rendering.files.length - 1}\uE000`;
}

export function renderFile(template: Template, at: string, rendering: Rendering): string {
  const mark = renderLeaf(template, at, rendering);
  return typeof mark === 'string' ? mark : '';
}

/** The text around the files that were rendered, in pieces. Null, with an issue, where the input imitates the mark of one. */
export function splitAtFiles(text: string, rendering: Rendering): ({ text: string } | { file: Attachment })[] | null {
  const pieces = text.split(FILE_MARK);
  const marks = pieces.filter((_piece, index) => index % 2 === 1).map(Number);
  if (marks.length !== rendering.files.length || new Set(marks).size !== marks.length) {
    rendering.issues.push({ path: 'input', message: 'holds the characters that stand for a file in a request' });
    return null;
  }
  return pieces.flatMap((piece, index): ({ text: string } | { file: Attachment })[] => {
    if (index % 2 === 0) return piece === '' ? [] : [{ text: piece }];
    const file = rendering.files[Number(piece)];
    if (file === undefined) throw new Error(`no file was rendered under the mark ${piece}`);
    return [{ file }];
  });
}

/** False where the one reference of a template has no value in this scope. */
export function resolves(template: Template, rendering: Rendering): boolean {
  const reference = soleReference(template);
  return reference === null || resolveReference(reference, rendering.scope).kind !== 'missing';
}

/** A URL with encoded values. Refuses a segment that values make empty, `.` or `..`: it addresses another resource. */
export function renderUrl(template: Template, at: string, rendering: Rendering): string {
  const issuesBefore = rendering.issues.length;
  const rendered = renderText(template, at, rendering, percentEncode);
  if (rendering.issues.length > issuesBefore) return rendered;
  const marked = markedText(template);
  // The URL parser would take the first part of the path for the host.
  if (!/^https?:\/\/[^/?#]/i.test(rendered)) {
    rendering.issues.push({ path: at, message: 'has no host, or no scheme that is http or https, with this input' });
  }
  const sourceSegments = pathOf(marked).split('/');
  const segments = pathOf(rendered).split('/');
  sourceSegments.forEach((source, index) => {
    if (!source.includes(MARK)) return;
    const segment = segments[index] ?? '';
    if (segment === '' || DOT_SEGMENT.test(segment)) {
      rendering.issues.push({
        path: at,
        message: `has a path segment that the input makes ${segment === '' ? 'empty' : `"${segment}"`}`,
      });
    }
  });
  return rendered;
}

/** Replaces a reference where only the structure of a URL matters; a literal cannot contain it. */
const MARK = '\u0001';

/** The text of a template with a mark in the place of each reference. */
export function markedText(template: Template): string {
  return template.segments.map((segment) => ('text' in segment ? segment.text : MARK)).join('');
}

/** The template without its fragment, which is never sent. */
export function withoutFragment(template: Template): Template {
  const segments: Segment[] = [];
  for (const segment of template.segments) {
    const hash = 'text' in segment ? segment.text.indexOf('#') : -1;
    if (hash === -1) segments.push(segment);
    else {
      if ('text' in segment && hash > 0) segments.push({ text: segment.text.slice(0, hash) });
      break;
    }
  }
  return { source: template.source, segments };
}

function pathOf(url: string): string {
  const afterScheme = url.replace(/^[^:/?#]*:\/\/[^/?#]*/, '');
  return afterScheme.split(/[?#]/, 1)[0] ?? '';
}

export type UrlShape = { ok: true; hostIsTemplated: boolean } | { ok: false; message: string };

/** Checks the literal part of a URL: absolute, http or https, no credentials. */
export function checkUrlShape(template: Template): UrlShape {
  const marked = markedText(template);
  const literal = template.segments.map((segment) => ('text' in segment ? segment.text : '')).join('');
  if (NOT_IN_URL.test(literal)) return { ok: false, message: 'holds a blank, a backslash or a control character' };
  const parts = /^([^:/?#]+):\/\/([^/?#]+)/.exec(marked);
  const [, scheme = '', authority = ''] = parts ?? [];
  if (parts === null) return { ok: false, message: 'must be absolute, such as https://api.example.com/orders' };
  if (!scheme.includes(MARK) && !/^https?$/i.test(scheme))
    return { ok: false, message: 'must begin with http:// or https://' };
  if (authority.includes('@'))
    return { ok: false, message: 'must not carry credentials; use a header with {{secret:NAME}}' };
  return { ok: true, hostIsTemplated: scheme.includes(MARK) || authority.includes(MARK) };
}
