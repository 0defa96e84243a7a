import { z } from 'zod';
import type { Issue } from '../errors.ts';
import { isJsonObject, jsonDepthExceeds, type JsonObject } from '../json.ts';
import { plainMessages } from '../json-schema/schema-messages.ts';
import {
  parseTemplate,
  referencesOf,
  SECRET_NAME_PATTERN,
  secretNamesOf,
  type Template,
  type TemplatePlace,
} from './templates.ts';
import { checkUrlShape, withoutFragment } from './template-rendering.ts';
import { type CompiledBody, compileBody, presenceOf } from './http-request-body.ts';
import {
  bodyFormSchema,
  compileParameter,
  parameterIssues,
  parameterSchema,
  type CompiledParameter,
} from './http-request-parameters.ts';
import { headerNameIssue, issuesOfZod } from './http-request-rules.ts';

/** The config of an `http.request` action. Each member: docs/adapters.md, "http.request, version 1". */
export const RESPONSE_BYTES_DEFAULT = 1_048_576;
export const RESPONSE_BYTES_MAX = 10_485_760;
const BODY_DEPTH_MAX = 64;
const PARAMETERS_MAX = 200;

const statusClass = (from: number, to: number, classes: readonly [string, ...string[]]) =>
  z.strictObject({
    statuses: z
      .array(z.union([z.int().min(from).max(to), z.enum(classes)]))
      .min(1)
      .max(100),
  });

const HOST_PATTERN = /^(?:\*\.)?(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export const httpRequestConfigSchema = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  url: z.string().min(1).max(4096),
  query: z.record(z.string().min(1).max(256), z.union([z.string().max(8192), z.number(), z.boolean()])).optional(),
  headers: z.record(z.string().min(1).max(128), z.string().max(8192)).optional(),
  parameters: z.array(parameterSchema).min(1).max(PARAMETERS_MAX).optional(),
  body: z.unknown().optional(),
  bodyForm: bodyFormSchema.optional(),
  bodyOptional: z.boolean().optional(),
  secrets: z.array(z.string().regex(SECRET_NAME_PATTERN, 'is not the name of a secret')).max(50).optional(),
  idempotencyHeader: z.string().min(1).max(128).optional(),
  allowedHosts: z
    .array(
      z
        .string()
        .max(260)
        .regex(HOST_PATTERN, 'must be a host such as api.example.com, *.example.com or localhost:8080'),
    )
    .min(1)
    .max(100)
    .optional(),
  // A 5xx proves nothing, so that neither list can name it.
  success: statusClass(200, 399, ['2xx', '3xx']).optional(),
  failure: statusClass(300, 499, ['3xx', '4xx']).optional(),
  maxResponseBytes: z.int().min(1).max(RESPONSE_BYTES_MAX).default(RESPONSE_BYTES_DEFAULT),
});

export type HttpRequestConfig = z.infer<typeof httpRequestConfigSchema>;

export interface CompiledConfig {
  config: HttpRequestConfig;
  url: Template;
  query: [string, Template][];
  headers: [string, Template][];
  parameters: CompiledParameter[];
  body: CompiledBody | null;
  /** For a body that is left out: it is, when this reference does not resolve. */
  bodyPresence: Template | null;
  secretNames: string[];
}

export type CompiledResult = { ok: true; compiled: CompiledConfig } | { ok: false; issues: Issue[] };

const IN_URL: TemplatePlace = { secrets: false, response: false };
const WITH_SECRETS: TemplatePlace = { secrets: true, response: false };

/** Checks a config and parses its templates: syntax, roots and legal places. Paths of issues are relative to the config. */
export function compileConfig(value: unknown): CompiledResult {
  if (isJsonObject(value) && jsonDepthExceeds(value['body'], BODY_DEPTH_MAX)) {
    return { ok: false, issues: [{ path: 'body', message: `is nested more than ${BODY_DEPTH_MAX} deep` }] };
  }
  const parsed = httpRequestConfigSchema.safeParse(value, { error: plainMessages });
  if (!parsed.success) return { ok: false, issues: issuesOfZod(parsed.error) };
  const config = parsed.data;
  const templates: Template[] = [];
  const issues: Issue[] = [];
  const parse = (source: string, at: string, place: TemplatePlace): Template => {
    const result = parseTemplate(source, place);
    if (!result.ok) issues.push({ path: at, message: result.message });
    const template = result.ok ? result.template : { source, segments: [{ text: source }] };
    templates.push(template);
    return template;
  };

  const url = withoutFragment(parse(config.url, 'url', IN_URL));
  const query = Object.entries(config.query ?? {}).map(([name, text]): [string, Template] => [
    name,
    parse(String(text), `query.${name}`, WITH_SECRETS),
  ]);
  const headers = Object.entries(config.headers ?? {}).map(([name, text]): [string, Template] => [
    name,
    parse(text, `headers.${name}`, WITH_SECRETS),
  ]);
  const parameters = (config.parameters ?? []).map((parameter, index) => {
    const at = `parameters[${index}]`;
    return compileParameter(parameter, parse(parameter.value, `${at}.value`, WITH_SECRETS), at);
  });
  const body = compileBody(config, issues, parse);
  const bodyPresence = presenceOf(config, issues);
  const secretNames = secretNamesOf(templates);
  checkUrl(config, url, issues);
  checkHeaders(config, headers, issues);
  issues.push(...parameterIssues(parameters, headerNamesOf(config)));
  checkQueryNames(config, issues);
  checkStatuses(config, issues);
  checkSecretList(config.secrets, secretNames, issues);
  if (issues.length > 0) return { ok: false, issues };
  const byName = (left: [string, Template], right: [string, Template]): number => (left[0] < right[0] ? -1 : 1);
  // Sorted, because a database does not keep the order of members and the same version must make the same bytes.
  return {
    ok: true,
    compiled: {
      config,
      url,
      query: query.sort(byName),
      headers: headers.sort(byName),
      parameters,
      body,
      bodyPresence,
      secretNames,
    },
  };
}

function checkUrl(config: HttpRequestConfig, url: Template, issues: Issue[]): void {
  const shape = checkUrlShape(url);
  if (!shape.ok) issues.push({ path: 'url', message: shape.message });
  else if (shape.hostIsTemplated && config.allowedHosts === undefined) {
    issues.push({ path: 'allowedHosts', message: 'is needed where the scheme or the host of the URL is a template' });
  } else if (!shape.hostIsTemplated && referencesOf(url).length === 0 && !URL.canParse(url.source)) {
    issues.push({ path: 'url', message: 'is not a URL' });
  }
}

function checkHeaders(config: HttpRequestConfig, headers: [string, Template][], issues: Issue[]): void {
  const seen = new Set<string>();
  const own = config.idempotencyHeader === undefined ? [] : [config.idempotencyHeader];
  for (const name of [...headers.map(([header]) => header), ...own]) {
    const lower = name.toLowerCase();
    const isIdempotencyHeader = own.includes(name) && !Object.hasOwn(config.headers ?? {}, name);
    const at = isIdempotencyHeader ? 'idempotencyHeader' : `headers.${name}`;
    const message = headerNameIssue(name) ?? (seen.has(lower) ? 'is given twice' : null);
    if (message !== null) issues.push({ path: at, message });
    seen.add(lower);
  }
  for (const [name, template] of headers) {
    if (name.toLowerCase() === 'content-type' && referencesOf(template).length > 0) {
      issues.push({ path: `headers.${name}`, message: 'decides how the body is written and cannot be a template' });
    }
  }
}

function headerNamesOf(config: HttpRequestConfig): ReadonlySet<string> {
  const own = config.idempotencyHeader === undefined ? [] : [config.idempotencyHeader];
  return new Set([...Object.keys(config.headers ?? {}), ...own].map((name) => name.toLowerCase()));
}

function checkQueryNames(config: HttpRequestConfig, issues: Issue[]): void {
  for (const name of Object.keys(config.query ?? {})) {
    if (name.includes('{{')) issues.push({ path: `query.${name}`, message: 'is a name; only values can be templates' });
    else if (/\p{Surrogate}/u.test(name)) issues.push({ path: `query.${name}`, message: 'is not well-formed Unicode' });
  }
}

function checkStatuses(config: HttpRequestConfig, issues: Issue[]): void {
  const success: readonly (number | string)[] = config.success?.statuses ?? [];
  for (const [index, status] of (config.failure?.statuses ?? []).entries()) {
    if (success.includes(status))
      issues.push({ path: `failure.statuses[${index}]`, message: `${status} is listed as a success too` });
  }
}

export function checkSecretList(listed: string[] | undefined, referred: string[], issues: Issue[]): void {
  if (listed === undefined) return;
  for (const name of referred) {
    if (!listed.includes(name))
      issues.push({ path: 'secrets', message: `must list ${name}, which a template refers to` });
  }
}

/** The config as JSON, defaults filled in: what an action version records. */
export function configAsJson(config: HttpRequestConfig): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as JsonObject;
}
