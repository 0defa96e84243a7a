import type { ActionDefinition, VerifyDeclaration } from '../../domain/actions.ts';
import type { Preparation, PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import { httpRequestDescriptor } from '../../domain/adapters/http-request.ts';
import type { Issue } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';

export const IDENTITY = { invocationId: 'inv_1', effectId: 'eff_1', operationKey: 'op key/1' };

/** A definition with this config, which must parse. */
export function definitionOf(config: JsonObject, verify: VerifyDeclaration | null = null): ActionDefinition {
  const parsed = httpRequestDescriptor.parseConfig({
    method: 'POST',
    url: 'https://api.example.com/orders',
    ...config,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return {
    adapter: { type: 'http.request', version: '1', config: parsed.config },
    inputSchema: {},
    outputSchema: null,
    governed: false,
    impact: [],
    verify,
    approval: { required: false, tag: null },
    timeoutMs: 5_000,
  };
}

export function configIssues(config: JsonObject): Issue[] {
  const parsed = httpRequestDescriptor.parseConfig({
    method: 'POST',
    url: 'https://api.example.com/orders',
    ...config,
  });
  return parsed.ok ? [] : parsed.issues;
}

export function prepare(config: JsonObject, input: JsonObject = {}, secrets?: Record<string, string>): Preparation {
  return httpRequestDescriptor.prepare({
    definition: definitionOf(config),
    input,
    identity: IDENTITY,
    ...(secrets === undefined ? {} : { secrets: new Map(Object.entries(secrets)) }),
  });
}

export function prepared(
  config: JsonObject,
  input: JsonObject = {},
  secrets?: Record<string, string>,
): PreparedRequest {
  const preparation = prepare(config, input, secrets);
  if (preparation.kind !== 'ready') throw new Error(JSON.stringify(preparation));
  return preparation.request;
}

export function bodyOf(config: JsonObject, input: JsonObject = {}, secrets?: Record<string, string>): Json {
  return JSON.parse(prepared(config, input, secrets).body ?? 'null') as Json;
}

/** The issues of a request that cannot be made, as `path: message`. */
export function faults(config: JsonObject, input: JsonObject = {}, secrets?: Record<string, string>): string[] {
  const preparation = prepare(config, input, secrets);
  if (preparation.kind !== 'invalid') throw new Error(`not invalid but ${JSON.stringify(preparation)}`);
  return preparation.issues.map((issue) => `${issue.path}: ${issue.message}`);
}
