import { ACTION_TIMEOUT_MS_DEFAULT, type ActionDefinition } from '../../domain/actions.ts';
import { checkDefinition, type Findings } from '../../domain/actions/check-definition.ts';
import type { AdapterDescriptor } from '../../domain/adapters/adapter-descriptor.ts';
import { ADAPTER_DESCRIPTORS, findDescriptor } from '../../domain/adapters/index.ts';
import { canonicalJson, digestOf } from '../../domain/canonical-json.ts';
import { validationError, type Issue } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { TenantSchemas } from '../json-schema/tenant-schemas.ts';
import type { CreateActionBody, UpdateActionBody } from './body-schemas.ts';

export const DEFINITION_BYTES_MAX = 256 * 1024;

type DefinitionBody = Partial<CreateActionBody> | UpdateActionBody;

export interface BuiltDefinition {
  definition: ActionDefinition;
  digest: string;
  secretNames: string[];
  /** `warningsOf` adds what the installation and the vault know. */
  findings: Findings;
}

/**
 * Merges a request's members over `before`, or over the defaults of a new action, and checks everything that a dispatch relies on.
 *
 * @param schemaIssues from `schemaIssuesOf`, which is costly.
 *
 * @throws {ServiceError} VALIDATION_ERROR with paths of the request, `body.adapter.config.url`.
 */
export function buildDefinition(
  body: DefinitionBody,
  before: ActionDefinition | null,
  schemaIssues: readonly Issue[],
): BuiltDefinition {
  const issues: Issue[] = [];
  const adapter = chooseAdapter(body, before, issues);
  const definition: ActionDefinition = {
    adapter: adapter.reference,
    inputSchema: chooseInputSchema(body, before, adapter.descriptor),
    outputSchema: pick(body.outputSchema as JsonObject | null | undefined, before?.outputSchema),
    governed: false,
    impact: (body.impact as ActionDefinition['impact'] | undefined) ?? before?.impact ?? [],
    verify: pick(body.verify as ActionDefinition['verify'] | undefined, before?.verify),
    approval: {
      required: body.approval?.required ?? before?.approval.required ?? false,
      tag: pick(body.approval?.tag, before?.approval.tag),
    },
    timeoutMs: body.timeoutMs ?? before?.timeoutMs ?? ACTION_TIMEOUT_MS_DEFAULT,
  };
  const alwaysGoverned = adapter.descriptor?.alwaysGoverned === true;
  definition.governed = isGoverned(body, before, definition, alwaysGoverned, issues);
  for (const issue of adapter.descriptor?.definitionIssues?.(definition) ?? []) {
    issues.push({ ...issue, path: below('body', issue.path) });
  }
  if (body.inputSchema !== undefined && definition.inputSchema['type'] !== 'object') {
    issues.push({ path: 'body.inputSchema.type', message: 'must be "object": the input of an action is an object' });
  }
  issues.push(...schemaIssues);
  if (issues.length > 0 || adapter.descriptor === undefined) throw validationError(issues);
  const json = definition as unknown as Json;
  checkSize(json);
  const digest = digestOf(json);
  const { issues: lies, ...findings } = checkDefinition(definition, adapter.descriptor);
  // A definition written under earlier rules stays valid until it changes.
  const isUnchanged = before !== null && digest === digestOf(before as unknown as Json);
  if (lies.length > 0 && !isUnchanged) {
    throw validationError(lies.map((issue) => ({ ...issue, path: below('body', issue.path) })));
  }
  return { definition, digest, secretNames: adapter.descriptor.secretNames(definition), findings };
}

/** An adapter for one operation has its own input schema; a changed adapter brings the new one's. */
function chooseInputSchema(
  body: DefinitionBody,
  before: ActionDefinition | null,
  descriptor: AdapterDescriptor | undefined,
): JsonObject {
  if (body.inputSchema !== undefined) return body.inputSchema as JsonObject;
  const kept = before?.adapter.type === descriptor?.type ? before?.inputSchema : undefined;
  return kept ?? descriptor?.inputSchema ?? before?.inputSchema ?? { type: 'object' };
}

/** Undefined keeps the present value; null removes it. */
function pick<T>(wanted: T | null | undefined, before: T | null | undefined): T | null {
  return wanted === undefined ? (before ?? null) : wanted;
}

function chooseAdapter(
  body: DefinitionBody,
  before: ActionDefinition | null,
  issues: Issue[],
): { descriptor: AdapterDescriptor | undefined; reference: ActionDefinition['adapter'] } {
  const wanted = body.adapter ?? before?.adapter;
  if (wanted === undefined) throw new Error('a definition was asked for without an adapter');
  const reference = { type: wanted.type, version: wanted.version ?? '', config: wanted.config as JsonObject };
  const descriptor = findDescriptor(wanted.type, wanted.version);
  if (descriptor === undefined) {
    issues.push(unknownAdapter(wanted));
    return { descriptor, reference };
  }
  // The stored config was checked when it was written. An unchanged adapter must not change the digest.
  if (body.adapter === undefined) return { descriptor, reference };
  const parsed = parseConfig(descriptor, wanted.config);
  if (!parsed.ok) {
    issues.push(...ofConfig(parsed.issues));
    return { descriptor, reference };
  }
  return { descriptor, reference: { type: descriptor.type, version: descriptor.version, config: parsed.config } };
}

function ofConfig(issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({ path: below('body.adapter.config', path), message }));
}

/** Issues of the adapter's config in a body that is refused for another reason. */
export function configIssuesOf(body: unknown): Issue[] {
  const adapter = isJsonObject(body) ? body['adapter'] : null;
  if (!isJsonObject(adapter)) return [];
  const { type, version, config } = adapter;
  if (typeof type !== 'string' || !isJsonObject(config)) return [];
  const descriptor = findDescriptor(type, typeof version === 'string' ? version : undefined);
  const parsed = descriptor && parseConfig(descriptor, config);
  return parsed === undefined || parsed.ok ? [] : ofConfig(parsed.issues);
}

/** A config that is too large is not parsed: each issue would repeat its path, which may have half a megabyte. */
function parseConfig(descriptor: AdapterDescriptor, config: unknown): ReturnType<AdapterDescriptor['parseConfig']> {
  const size = sizeOf(config as Json);
  if (size > DEFINITION_BYTES_MAX) return { ok: false, issues: [{ path: '', message: tooLarge(size) }] };
  return descriptor.parseConfig(config);
}

function unknownAdapter(wanted: { type: string; version?: string | undefined }): Issue {
  const versions = ADAPTER_DESCRIPTORS.filter(({ type }) => type === wanted.type).map(({ version }) => version);
  if (versions.length > 0) {
    return {
      path: 'body.adapter.version',
      message: `is not a version of ${wanted.type}; there is ${versions.join(', ')}`,
    };
  }
  const types = [...new Set(ADAPTER_DESCRIPTORS.map(({ type }) => type))].sort();
  return { path: 'body.adapter.type', message: `is not an adapter; there is ${types.join(', ')}` };
}

/**
 * An action is governed when it declares impact or verify, says so, or its adapter governs. Only `governed: false` without declarations
 * ends governance: removing the last declaration does not.
 */
function isGoverned(
  body: DefinitionBody,
  before: ActionDefinition | null,
  { adapter, impact, verify }: ActionDefinition,
  alwaysGoverned: boolean,
  issues: Issue[],
): boolean {
  const declares = alwaysGoverned || impact.length > 0 || verify !== null;
  if (declares && body.governed === false) {
    const message = alwaysGoverned
      ? `cannot be false: every action of ${adapter.type} is governed; leave governed out`
      : 'cannot be false for an action with impact or verify; remove these, or leave governed out';
    issues.push({ path: 'body.governed', message });
  }
  return declares || (body.governed ?? before?.governed ?? false);
}

/**
 * Checks the JSON Schemas of a body in threads: hold no transaction meanwhile.
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE when too many requests wait for the threads.
 */
export async function schemaIssuesOf(
  schemas: TenantSchemas,
  workspaceId: string,
  { inputSchema, outputSchema }: Pick<DefinitionBody, 'inputSchema' | 'outputSchema'>,
): Promise<Issue[]> {
  const [ofInput, ofOutput] = await Promise.all([
    inputSchema === undefined ? [] : schemas.check(workspaceId, inputSchema as JsonObject, 'body.inputSchema'),
    outputSchema === undefined || outputSchema === null
      ? []
      : schemas.check(workspaceId, outputSchema as JsonObject, 'body.outputSchema'),
  ]);
  return [...ofInput, ...ofOutput];
}

function checkSize(definition: Json): void {
  const size = sizeOf(definition);
  if (size > DEFINITION_BYTES_MAX) throw validationError([{ path: 'body', message: tooLarge(size) }]);
}

const sizeOf = (value: Json): number => Buffer.byteLength(canonicalJson(value), 'utf8');
const tooLarge = (size: number): string =>
  `makes a definition of ${size} bytes; at most ${DEFINITION_BYTES_MAX} (256 KiB) are kept`;

function below(root: string, path: string): string {
  return path === '' ? root : `${root}${path.startsWith('[') ? '' : '.'}${path}`;
}
