import { z } from 'zod';
import type { AnyRoute } from '../../../api/http/define-route.ts';

/** What the records of lists may hold, read from their schemas. */

interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string | string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  maxLength?: number;
  items?: JsonSchema;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
}

export interface UnboundedMember {
  /** Dotted; a step into a list is `[]`. */
  path: string;
  /** `cut`: its schema says that a list shows its beginning. `values`: any value, any members, or any number of items. */
  kind: 'cut' | 'values' | 'text';
}

/** The members of a list's records whose schema does not bound them. */
export function unboundedMembers(route: AnyRoute): UnboundedMember[] {
  const reply = route.response[200];
  if (reply === undefined) throw new Error(`${route.id} has no schema`);
  const schema = z.toJSONSchema(reply, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  const found = new Map<string, UnboundedMember>();
  // A list is a page of records, or an object that holds them.
  visit(schema.type === 'array' ? (schema.items ?? {}) : schema, '', {
    definitions: schema.$defs ?? {},
    found,
    open: [],
  });
  return [...found.values()];
}

interface Visit {
  definitions: Record<string, JsonSchema>;
  found: Map<string, UnboundedMember>;
  /** The definitions that are being visited: a recursive one ends there. */
  open: readonly string[];
}

const BOUNDED_FORMATS = ['date-time', 'date', 'uuid'];
const BOUNDED_TYPES = ['integer', 'number', 'boolean', 'null'];

function visit(schema: JsonSchema, path: string, at: Visit): void {
  const add = (kind: UnboundedMember['kind']) => at.found.set(`${path} ${kind}`, { path, kind });
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const definition = at.definitions[name];
    if (definition === undefined || at.open.includes(name)) return void add('values');
    return visit(definition, path, { ...at, open: [...at.open, name] });
  }
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) {
    if (choices.some(({ $ref }) => $ref?.endsWith('/Shortened'))) return void add('cut');
    for (const choice of choices) visit(choice, path, at);
    return;
  }
  if (schema.const !== undefined || schema.enum !== undefined) return;
  for (const type of [schema.type].flat()) visitTyped(type, schema, path, at, add);
}

function visitTyped(
  type: string | undefined,
  schema: JsonSchema,
  path: string,
  at: Visit,
  add: (kind: UnboundedMember['kind']) => void,
): void {
  if (type === 'string') {
    if (schema.maxLength === undefined && !BOUNDED_FORMATS.includes(schema.format ?? '')) add('text');
  } else if (type === 'array') {
    if (schema.maxItems === undefined) add('values');
    visit(schema.items ?? {}, `${path}[]`, at);
  } else if (type === 'object') {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      visit(member, path === '' ? name : `${path}.${name}`, at);
    }
    const others = schema.additionalProperties;
    if (others !== undefined && others !== false) add('values');
    else if (others === undefined && schema.properties === undefined) add('values');
  } else if (type === undefined || !BOUNDED_TYPES.includes(type)) add('values');
}

/**
 * Texts of at most 4 KiB wherever a record has them: their inputs are bounded, or the service makes them. A text that is bounded in one
 * area alone is an entry of `whole` in its `lists`.
 */
const SMALL_TEXTS = new Set(
  `
  action actionId address agentId agentVersion apiKeyId application approvalId bindingDigest callbackUrl changeNote clientId code
  collectionId compensates connectedAppId contentType createdBy cron currency currentPeriod currentVersionId cursor delay
  description digest dimension effectId email errorMessage eventId eventType eventTypes[] failureCallbackUrl fileId filename
  flowControlKey groupId haltedReason hash host id impliedOutcome integrationId invocationId key keyId keyName keyPrefix keys[]
  kind label limitId limitIds[] messageId model month name namespace note observedOutcome operationKey outcome parentId path
  period policyId prefix previewId previousHash providerReference purpose reason refusal rejectionReason requestDigest requestId
  responseDigest retryOf ruleId runId scheduleId secrets[] sessionId sha256 subscriptionId summary supersededBy supersedes tag
  tags[] timezone title toolCallId topic topicId traceId type unit url urlGroupId userId userName users[] version versionId worker
  `
    .trim()
    .split(/\s+/),
);

/**
 * Whether a member that the schema does not bound is bounded otherwise. An entry of `whole` covers what the member holds. A member that
 * is cut is never bounded: it is shown to be cut.
 */
export function isBounded(whole: Readonly<Record<string, string>>, { path, kind }: UnboundedMember): boolean {
  const steps = path.replaceAll('[]', '').split('.');
  if (kind !== 'cut' && ('' in whole || steps.some((step) => step in whole) || path in whole)) return true;
  return kind === 'text' && SMALL_TEXTS.has(path.split('.').at(-1) ?? '');
}
