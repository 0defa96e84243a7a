import type { ProviderResponse, RequestIdentity } from './adapter-descriptor.ts';
import { type Found, parsePath, type PathStep, pathText, readPath } from '../json-path.ts';
import type { ExactJson, ExactObject } from '../json.ts';
import { lowerHeaderName, RESPONSE_MEMBERS } from '../response-path.ts';

/** Values are inserted between parsed segments and never parsed. The rules: docs/adapters.md, "Templates". */
export type Reference =
  | { kind: 'value'; root: ValueRoot; steps: PathStep[]; source: string }
  /** The bytes of the file that the input names there. */
  | { kind: 'file'; steps: PathStep[]; source: string }
  | { kind: 'secret'; name: string; source: string };

export type ValueRoot = 'input' | 'invocation.id' | 'effect.id' | 'operationKey' | 'response';
export type Segment = { text: string } | { reference: Reference };

export interface Template {
  source: string;
  segments: Segment[];
}

export interface TemplatePlace {
  secrets: boolean;
  response: boolean;
  /** A body may hold the bytes of a file. */
  files?: boolean;
}

export type ParsedTemplate = { ok: true; template: Template } | { ok: false; message: string };

/** What the references resolve against. `secrets` is set only inside the dispatch, `response` only in a read-back. */
export interface TemplateScope {
  /** As `exactInput` makes it. */
  input: ExactObject;
  identity: RequestIdentity;
  response?: ProviderResponse | null;
  secrets?: ReadonlyMap<string, string>;
}

export type Resolved =
  | { kind: 'value'; value: ExactJson }
  /** `shown` is the placeholder; `value` is set only inside the dispatch. */
  | { kind: 'secret'; name: string; value: string | undefined }
  /** What the input holds there; `attachmentOf` says whether it is a file. */
  | { kind: 'file'; value: ExactJson; path: string }
  | { kind: 'missing'; path: string };

export const SECRET_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const SECRET_PREFIX = 'secret:';
export const FILE_PREFIX = 'file:';
const IDENTITY_ROOTS = ['invocation.id', 'effect.id', 'operationKey'] as const;

/** Splits a text into literal pieces and references. A `{{` that is not a reference is an error: it was meant as one. */
export function parseTemplate(source: string, place: TemplatePlace): ParsedTemplate {
  const segments: Segment[] = [];
  let position = 0;
  while (position < source.length) {
    const open = source.indexOf('{{', position);
    if (open === -1) break;
    const close = source.indexOf('}}', open + 2);
    if (close === -1) return { ok: false, message: 'has a {{ without its }}' };
    const parsed = parseReference(source.slice(open + 2, close).trim(), place);
    if (typeof parsed === 'string') return { ok: false, message: parsed };
    if (open > position) segments.push({ text: source.slice(position, open) });
    segments.push({ reference: parsed });
    position = close + 2;
  }
  if (position < source.length) segments.push({ text: source.slice(position) });
  return { ok: true, template: { source, segments } };
}

function parseReference(expression: string, place: TemplatePlace): Reference | string {
  if (expression.startsWith(SECRET_PREFIX)) {
    const name = expression.slice(SECRET_PREFIX.length);
    if (!place.secrets) return `refers to the secret ${name}, which only headers, the query and the body may hold`;
    if (!SECRET_NAME_PATTERN.test(name)) return `names a secret ${JSON.stringify(name)}, which is not a secret's name`;
    return { kind: 'secret', name, source: `{{secret:${name}}}` };
  }
  const source = `{{${expression}}}`;
  if (expression.startsWith(FILE_PREFIX)) return parseFileReference(expression, source, place);
  for (const root of IDENTITY_ROOTS) if (expression === root) return { kind: 'value', root, steps: [], source };
  const steps = parsePath(expression);
  if (steps === null) return `has ${source}, which is not a path such as {{input.customer.id}}`;
  const [root, ...rest] = steps;
  if (root === 'input') return { kind: 'value', root, steps: rest, source };
  if (root === 'response' && place.response) {
    if (!RESPONSE_MEMBERS.includes(rest[0])) return `has ${source}; a response has status, headers and body`;
    return { kind: 'value', root, steps: lowerHeaderName(rest), source };
  }
  const roots = ['input', ...IDENTITY_ROOTS, ...(place.response ? ['response'] : [])].join(', ');
  return `has ${source}; a template begins with one of ${roots}${place.secrets ? ' or is secret:NAME' : ''}`;
}

function parseFileReference(expression: string, source: string, place: TemplatePlace): Reference | string {
  if (place.files !== true) {
    return `has ${source}; a file is a whole body, a part of multipart/form-data or a value of a JSON body`;
  }
  const steps = parsePath(expression.slice(FILE_PREFIX.length).trim());
  if (steps === null || steps[0] !== 'input' || steps.length < 2) {
    return `has ${source}, which names no file of the input, such as {{file:input.invoice}}`;
  }
  return { kind: 'file', steps: steps.slice(1), source };
}

/** Looks a reference up, own members only. A secret that the scope does not hold has no value: its placeholder is shown. */
export function resolveReference(reference: Reference, scope: TemplateScope): Resolved {
  if (reference.kind === 'secret') {
    return { kind: 'secret', name: reference.name, value: scope.secrets?.get(reference.name) };
  }
  if (reference.kind === 'file') {
    const path = pathText('input', reference.steps);
    const found = readPath(scope.input, reference.steps);
    return found.found && found.value !== null ? { kind: 'file', value: found.value, path } : { kind: 'missing', path };
  }
  const path = reference.source.slice(2, -2);
  const found = lookUp(reference.root, reference.steps, scope);
  return found.found ? { kind: 'value', value: found.value } : { kind: 'missing', path };
}

function lookUp(root: ValueRoot, steps: PathStep[], scope: TemplateScope): Found<ExactJson> {
  switch (root) {
    case 'input':
      return readPath(scope.input, steps);
    case 'invocation.id':
      return { found: true, value: scope.identity.invocationId };
    case 'effect.id':
      return { found: true, value: scope.identity.effectId };
    case 'operationKey':
      return { found: true, value: scope.identity.operationKey };
    case 'response': {
      if (scope.response === undefined || scope.response === null) return { found: false };
      const { status, headers, body } = scope.response;
      return readPath({ status, headers, body }, steps);
    }
  }
}

/** The reference of a template that is one reference and nothing else: its value keeps its JSON type. */
export function soleReference(template: Template): Reference | null {
  const [first, ...rest] = template.segments;
  return first !== undefined && rest.length === 0 && 'reference' in first ? first.reference : null;
}

export function referencesOf(template: Template): Reference[] {
  return template.segments.flatMap((segment) => ('reference' in segment ? [segment.reference] : []));
}

export function secretNamesOf(templates: Iterable<Template>): string[] {
  const names = new Set<string>();
  for (const template of templates) {
    for (const reference of referencesOf(template)) if (reference.kind === 'secret') names.add(reference.name);
  }
  return [...names].sort();
}
