import type { ActionDefinition, AdapterCapabilities } from '../actions.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { ExactJson, Json } from '../json.ts';
import { exactInput } from '../json-schema/exact-input.ts';
import type { Refusal } from '../refusals.ts';
import {
  newRendering,
  renderBodyText,
  renderFile,
  renderHeader,
  type Rendering,
  renderLeaf,
  renderQueryPair,
  renderUrl,
  resolves,
  splitAtFiles,
} from './template-rendering.ts';
import { compileVerify } from './http-request-verify.ts';
import type {
  AdapterDescriptor,
  BodyPart,
  Preparation,
  PreparationInput,
  PreparedRequest,
  RequestIdentity,
} from './adapter-descriptor.ts';
import type { BodyNode } from './http-request-body-node.ts';
import { compileConfig, type CompiledConfig, configAsJson } from './http-request-config.ts';
import { boundaryOf, MULTIPART_MEDIA_TYPE, renderMultipart } from './http-request-multipart.ts';
import { renderForm, renderParameters } from './http-request-parameters.ts';
import { filePathsOf, textsOfHttpRequest } from './http-request-texts.ts';
import { finishUrl, isAllowedHost } from './http-request-url.ts';

const CAPABILITIES: AdapterCapabilities = {
  idempotent: false,
  idempotencyWindowSeconds: null,
  lookup: 'none',
  replay: false,
  preview: true,
  reversible: false,
};

/** The generic adapter: one HTTP request, written as templates. See docs/adapters.md, "http.request, version 1". */
export const httpRequestDescriptor: AdapterDescriptor = {
  type: 'http.request',
  version: '1',

  capabilitiesFor(definition) {
    const { config } = compiledOf(definition);
    return {
      ...CAPABILITIES,
      idempotent: config.idempotencyHeader !== undefined,
      lookup: definition.verify === null ? 'none' : 'by_id',
    };
  },

  parseConfig(config) {
    const result = compileConfig(config);
    return result.ok ? { ok: true, config: configAsJson(result.compiled.config) } : result;
  },

  // Not `allowedHosts` and `secrets`, which bound where it goes and what with, nor `success` and `failure`, which judge it.
  ungovernedConfig: [
    'method',
    'url',
    'query',
    'headers',
    'parameters',
    'body',
    'bodyForm',
    'bodyOptional',
    'idempotencyHeader',
    'maxResponseBytes',
  ],

  secretNames(definition) {
    const names = new Set(compiledOf(definition).secretNames);
    if (definition.verify !== null) for (const name of compileVerify(definition.verify).secretNames) names.add(name);
    return [...names].sort();
  },

  prepare,
  filePaths: filePathsOf,
  texts: textsOfHttpRequest,
  writes: ({ adapter }) => isWriteMethod(adapter.config['method']),
  readsBack: (definition) => definition.verify !== null,
  inspects: false,
};

/** Every method but those that HTTP defines as reads. The config's schema holds the method to upper case. */
function isWriteMethod(method: Json | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** The config of a stored version with its templates parsed. It was checked when it was written, so a fault is ours. */
export function compiledOf(definition: ActionDefinition): CompiledConfig {
  const result = compileConfig(definition.adapter.config);
  if (result.ok) return result.compiled;
  const faults = result.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
  throw new Error(`a stored http.request config does not parse: ${faults}`);
}

/** The same version and input make the same bytes. With `secrets` templates are rendered again, never a stored text. */
function prepare(input: PreparationInput): Preparation {
  const { secrets, ...shownForm } = input;
  const prepared = render(input);
  if (prepared.kind !== 'refused' || secrets === undefined) return prepared;
  // A refusal is kept in the receipt: it carries the form that shows no secret.
  const shown = render(shownForm);
  return shown.kind === 'invalid' ? shown : { ...shown, kind: 'refused', refusal: prepared.refusal };
}

function render({ definition, input, identity, secrets }: PreparationInput): Preparation {
  const compiled = compiledOf(definition);
  const { method, allowedHosts } = compiled.config;
  const exact = exactInput(definition.inputSchema, input);
  const rendering = newRendering({ input: exact, identity, ...(secrets === undefined ? {} : { secrets }) });
  const base = renderUrl(compiled.url, 'adapter.config.url', rendering);
  const pairs = compiled.query.map(([name, template]) =>
    renderQueryPair(name, template, `adapter.config.query.${name}`, rendering),
  );
  const parameters = renderParameters(compiled.parameters, rendering);
  const body = renderBody(compiled, identity, rendering);
  const headers = renderHeaders(compiled, identity.effectId, parameters.headers, body, rendering);
  if (rendering.issues.length > 0) return { kind: 'invalid', issues: rendering.issues };
  const finished = finishUrl(base, [...pairs, ...parameters.pairs]);
  if (!finished.ok) return { kind: 'invalid', issues: [{ path: 'adapter.config.url', message: finished.message }] };
  const { text, parts } = body ?? { text: null, parts: undefined };
  const request: PreparedRequest = {
    method,
    url: finished.href,
    headers,
    body: text,
    bodyEncoding: 'utf8',
    ...(parts === undefined ? {} : { bodyParts: parts }),
  };
  const target = { method, host: finished.url.host, path: finished.url.pathname };
  const refusal = refusalOf(rendering, finished.url, allowedHosts);
  if (refusal !== null) return { kind: 'refused', refusal, request, target };
  return { kind: 'ready', request, target, secretNames: compiled.secretNames };
}

function refusalOf(rendering: Rendering, url: URL, allowedHosts: readonly string[] | undefined): Refusal | null {
  if (rendering.missingSecrets.size > 0) {
    const secrets = [...rendering.missingSecrets].sort();
    const message = `no value in this environment for: ${secrets.join(', ')}`;
    return { code: 'secret_missing', message, details: { secrets } };
  }
  if (allowedHosts === undefined || isAllowedHost(url, allowedHosts)) return null;
  const message = `${url.host} is not among the allowedHosts of the action`;
  return { code: 'destination_blocked', message, details: { host: url.host } };
}

function renderHeaders(
  compiled: CompiledConfig,
  effectId: string,
  ofParameters: [string, string][],
  rendered: RenderedBody | null,
  rendering: Rendering,
): Record<string, string> {
  const { body, bodyPresence } = compiled;
  const { idempotencyHeader } = compiled.config;
  const declared = compiled.headers.map(([name, template]): [string, string] => [
    name,
    renderHeader(template, `adapter.config.headers.${name}`, rendering),
  ]);
  const isType = ([name]: [string, string]): boolean => name.toLowerCase() === 'content-type';
  // A body that was left out has no type; some targets refuse one without the other.
  const keepsType = (rendered !== null || bodyPresence === null) && body?.kind !== 'multipart';
  const headers = keepsType ? declared : declared.filter((header) => !isType(header));
  if (rendered?.contentType && !headers.some(isType)) headers.push(['content-type', rendered.contentType]);
  headers.push(...ofParameters);
  if (idempotencyHeader !== undefined) headers.push([idempotencyHeader, effectId]);
  return Object.fromEntries(headers);
}

interface RenderedBody {
  /** Null where it is in parts. */
  text: string | null;
  parts?: BodyPart[];
  /** What it is sent as, where the config does not say. */
  contentType: string | null;
}

function renderBody(
  { body, bodyPresence }: CompiledConfig,
  identity: RequestIdentity,
  rendering: Rendering,
): RenderedBody | null {
  if (body === null) return null;
  if (bodyPresence !== null && !resolves(bodyPresence, rendering)) return null;
  switch (body.kind) {
    case 'text':
      return {
        text: renderBodyText(body.template, 'adapter.config.body', rendering, body.form),
        contentType: null,
      };
    case 'file':
      return inParts(renderFile(body.template, 'adapter.config.body', rendering), 'raw', null, rendering);
    case 'multipart': {
      const boundary = boundaryOf(identity);
      const text = renderMultipart(body.members, boundary, rendering);
      return inParts(text, 'raw', `${MULTIPART_MEDIA_TYPE}; boundary=${boundary}`, rendering);
    }
    case 'form':
    case 'json': {
      const value = renderNode(body.node, rendering);
      // Over the budget the value is useless and may be huge: it is not written.
      if (rendering.issues.length > 0) return null;
      if (body.kind === 'json') return inParts(canonicalJson(value), 'base64', 'application/json', rendering);
      return {
        text: renderForm(value, body.form, 'adapter.config.body', rendering),
        contentType: 'application/x-www-form-urlencoded',
      };
    }
  }
}

/** A body that holds files, cut at each of them; any other stays one text. A body that is a file alone has the type of the file. */
function inParts(
  text: string,
  encoding: 'raw' | 'base64',
  contentType: string | null,
  rendering: Rendering,
): RenderedBody | null {
  if (rendering.issues.length > 0) return null;
  if (rendering.files.length === 0) return { text, contentType };
  const pieces = splitAtFiles(text, rendering);
  if (pieces === null) return null;
  const parts = pieces.map((piece): BodyPart => ('file' in piece ? { ...piece, encoding } : piece));
  return { text: null, parts, contentType: contentType ?? rendering.files[0]?.contentType ?? null };
}

function renderNode(node: BodyNode, rendering: Rendering): ExactJson {
  if ('leaf' in node) return renderLeaf(node.leaf, `adapter.config.${node.at}`, rendering);
  if ('constant' in node) return node.constant;
  if ('items' in node) return node.items.map((item) => renderNode(item, rendering));
  return Object.fromEntries(node.members.map(([name, member]) => [name, renderNode(member, rendering)]));
}
