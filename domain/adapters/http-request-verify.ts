import { z } from 'zod';
import type { Expectation, VerifyDeclaration } from '../actions.ts';
import { headerNameIssue } from './http-request-rules.ts';
import { finishUrl, isAllowedHost } from './http-request-url.ts';
import type { Issue } from '../errors.ts';
import { type ExactJson, type Json, jsonDepthExceeds } from '../json.ts';
import { parseResponsePath } from '../response-path.ts';
import {
  checkUrlShape,
  markedText,
  newRendering,
  renderHeader,
  type Rendering,
  renderLeaf,
  renderUrl,
  withoutFragment,
} from './template-rendering.ts';
import {
  parseTemplate,
  referencesOf,
  secretNamesOf,
  type Template,
  type TemplatePlace,
  type TemplateScope,
} from './templates.ts';

/** An action's read-back: a GET, and what its response must say. Members: docs/adapters.md, "The read-back". */
const EXPECTATIONS_MAX = 50;
const ABSENCE_AGE_SECONDS_MAX = 2_592_000;
const ABSENCE_READS_MAX = 20;
const VALUE_DEPTH_MAX = 32;

const expectationSchema = z
  .strictObject({
    path: z.string().min(1).max(512),
    op: z.enum(['eq', 'in', 'exists']),
    value: z.custom<Json>((value) => value !== undefined).optional(),
  })
  .meta({ id: 'ExpectationInput', description: 'One expectation over {status, headers, body}' });

const expectationsSchema = z.array(expectationSchema).min(1).max(EXPECTATIONS_MAX);

export const verifySchema = z
  .strictObject({
    request: z.strictObject({
      method: z.literal('GET'),
      url: z.string().min(1).max(4096),
      headers: z.record(z.string().min(1).max(128), z.string().max(8192)).optional(),
    }),
    expect: expectationsSchema,
    pending: expectationsSchema.optional(),
    failed: expectationsSchema.optional(),
    absenceProves: z
      .strictObject({
        minAgeSeconds: z.int().min(0).max(ABSENCE_AGE_SECONDS_MAX),
        reads: z.int().min(1).max(ABSENCE_READS_MAX),
      })
      .optional(),
  })
  .superRefine((declaration, context) => {
    const { issues } = compile(declaration as VerifyDeclaration);
    for (const issue of issues) context.addIssue({ code: 'custom', message: issue.message, path: stepsOf(issue.path) });
  })
  .meta({ id: 'VerifyDeclarationInput' });

function stepsOf(path: string): (string | number)[] {
  return path.split('/').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

const READ_PLACE: TemplatePlace = { secrets: true, response: true };
const VALUE_PLACE: TemplatePlace = { secrets: false, response: true };
const LISTS = ['expect', 'pending', 'failed'] as const;
type ListName = (typeof LISTS)[number];

export interface CompiledVerify {
  url: Template;
  headers: [string, Template][];
  secretNames: string[];
}

/** The templates of a checked declaration. Throws where it was never checked. */
export function compileVerify(declaration: VerifyDeclaration): CompiledVerify {
  const { compiled, issues } = compile(declaration);
  if (issues.length === 0) return compiled;
  throw new Error(
    `a stored read-back does not parse: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
  );
}

/** Parses and checks; the paths of its issues are separated by `/`, so that a header's name may hold a dot. */
function compile(declaration: VerifyDeclaration): { compiled: CompiledVerify; issues: Issue[] } {
  const issues: Issue[] = [];
  const templates: Template[] = [];
  const parse = (source: string, path: string, place: TemplatePlace): Template => {
    const result = parseTemplate(source, place);
    if (!result.ok) issues.push({ path, message: result.message });
    const template = result.ok ? result.template : { source, segments: [{ text: source }] };
    templates.push(template);
    return template;
  };
  const url = withoutFragment(parse(declaration.request.url, 'request/url', READ_PLACE));
  checkUrl(url, issues);
  const seen = new Set<string>();
  const headers = Object.entries(declaration.request.headers ?? {}).map(([name, value]): [string, Template] => {
    const path = `request/headers/${name}`;
    const message = headerNameIssue(name) ?? (seen.has(name.toLowerCase()) ? 'is given twice' : null);
    if (message !== null) issues.push({ path, message });
    seen.add(name.toLowerCase());
    return [name, parse(value, path, READ_PLACE)];
  });
  for (const list of LISTS) {
    for (const [index, expectation] of (declaration[list] ?? []).entries()) {
      checkExpectation(expectation, `${list}/${index}`, issues, parse);
    }
  }
  return { compiled: { url, headers, secretNames: secretNamesOf(templates) }, issues };
}

function checkUrl(url: Template, issues: Issue[]): void {
  const shape = checkUrlShape(url);
  if (!shape.ok) issues.push({ path: 'request/url', message: shape.message });
  else if (shape.hostIsTemplated) {
    issues.push({
      path: 'request/url',
      message: 'must name its scheme and host; only the path and the query can be templates',
    });
  }
  // References before the question mark are in the path. A secret there would be in access logs and in what we show.
  const [beforeQuery = ''] = markedText(url).split('?', 1);
  const referencesInPath = beforeQuery.split(markedText({ source: '', segments: [mark] })).length - 1;
  for (const reference of referencesOf(url).slice(0, referencesInPath)) {
    if (reference.kind === 'secret') {
      issues.push({ path: 'request/url', message: `refers to the secret ${reference.name} outside of its query` });
    }
  }
}
const mark = { reference: { kind: 'secret', name: '', source: '' } } as const;

function checkExpectation(
  { path, op, value }: Expectation,
  at: string,
  issues: Issue[],
  parse: (source: string, path: string, place: TemplatePlace) => Template,
): void {
  if (parseResponsePath(path) === null) {
    issues.push({
      path: `${at}/path`,
      message: 'must be a path over status, headers or body, such as body.items[0].state',
    });
  }
  if (op === 'exists') {
    if (value !== undefined) issues.push({ path: `${at}/value`, message: 'has no meaning with exists; leave it out' });
    return;
  }
  if (value === undefined) issues.push({ path: `${at}/value`, message: `is needed with ${op}` });
  else if (jsonDepthExceeds(value, VALUE_DEPTH_MAX))
    issues.push({ path: `${at}/value`, message: 'is nested too deep' });
  else {
    if (op === 'in' && !Array.isArray(value) && typeof value !== 'string') {
      issues.push({ path: `${at}/value`, message: 'must be an array with in' });
    }
    mapLeaves(value, (leaf) => parse(leaf, `${at}/value`, VALUE_PLACE).source);
  }
}

function mapLeaves(value: Json, leaf: (text: string) => Json): Json {
  if (typeof value === 'string') return leaf(value);
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, leaf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapLeaves(member, leaf)]));
}

export interface RenderedVerify {
  kind: 'ready';
  url: string;
  headers: Record<string, string>;
  lists: Partial<Record<ListName, Expectation[]>>;
}

/** Renders a read-back. `unreadable`: a template refers to a missing value, or the host is not allowed. */
export function renderVerify(
  declaration: VerifyDeclaration,
  scope: TemplateScope,
  allowedHosts?: readonly string[],
): RenderedVerify | { kind: 'unreadable'; summary: string } {
  const compiled = compileVerify(declaration);
  const rendering = newRendering(scope);
  const base = renderUrl(compiled.url, 'verify.request.url', rendering);
  const headers = compiled.headers.map(([name, template]): [string, string] => [
    name,
    renderHeader(template, `verify.request.headers.${name}`, rendering),
  ]);
  const lists: Partial<Record<ListName, Expectation[]>> = {};
  for (const list of LISTS) {
    const expectations = declaration[list];
    if (expectations !== undefined)
      lists[list] = expectations.map((item, at) => renderExpectation(item, `verify.${list}[${at}]`, rendering));
  }
  if (rendering.missingSecrets.size > 0) {
    return {
      kind: 'unreadable',
      summary: `no value in this environment for: ${[...rendering.missingSecrets].sort().join(', ')}`,
    };
  }
  if (rendering.issues.length > 0) {
    const why = rendering.issues.map((issue) => `${issue.path} ${issue.message}`).join('; ');
    return { kind: 'unreadable', summary: `the read-back cannot be made: ${why}` };
  }
  const finished = finishUrl(base, []);
  if (!finished.ok) return { kind: 'unreadable', summary: `the URL of the read-back ${finished.message}` };
  if (allowedHosts !== undefined && !isAllowedHost(finished.url, allowedHosts)) {
    const { host } = finished.url;
    return {
      kind: 'unreadable',
      summary: `the host of the read-back, ${host}, is not among the allowedHosts of the action`,
    };
  }
  return { kind: 'ready', url: finished.href, headers: Object.fromEntries(headers), lists };
}

function renderExpectation(expectation: Expectation, at: string, rendering: Rendering): Expectation {
  if (expectation.value === undefined) return expectation;
  const value = mapLeaves(expectation.value, (leaf) => {
    const result = parseTemplate(leaf, VALUE_PLACE);
    if (result.ok) return asAnswered(renderLeaf(result.template, `${at}.value`, rendering));
    throw new Error(`a stored expectation does not parse: ${result.message}`);
  });
  return { ...expectation, value };
}

/** A response holds an integer beyond 2^53 as the text of its digits. */
function asAnswered(value: ExactJson): Json {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asAnswered);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asAnswered(member)]));
}
