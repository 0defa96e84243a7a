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

/** Texts of at most 4 KiB wherever a record has them: their inputs are bounded, or the service makes them. */
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

const REFUSAL = 'the service makes them; a refused input is named by its paths, a hundred at most';
const BY_ACTION = 'bounded in the definition of an action';
const ALLOWANCES = 'the limits that apply to one effect';
const MEMORY = '8,192 characters of content, 8 KiB of metadata';

/** What lists show whole, by the route and the member, and what bounds it. */
const WHOLE: Record<string, Record<string, string>> = {
  'auth.connected-apps.list': { scopes: 'the scopes that there are' },
  'audit.list': { details: 'names and numbers that each entry chooses: docs/audit.md' },
  'actions.list': { impact: BY_ACTION },
  'actions.versions.list': { 'definition.impact': BY_ACTION },
  'actions.exportTools': {
    '': 'an export: a tool whose schema is cut is another tool',
    tools: 'as many as the page has',
    names: 'one for each tool',
    dropped: 'what was left out of the schemas of the page',
    tool: 'a name of a tool',
    keyword: 'of JSON Schema',
    reason: 'one of a few',
  },
  'invocations.list': { refusal: REFUSAL, error: REFUSAL, nextStep: REFUSAL, resolution: 'bounded by its input' },
  'actions.listInvocations': {
    refusal: REFUSAL,
    error: REFUSAL,
    nextStep: REFUSAL,
    resolution: 'bounded by its input',
  },
  'effects.list': {
    resolution: 'bounded by its input',
    dependsOn: 'bounded by the input of an invocation',
    impact: BY_ACTION,
    capabilities: 'declared by an adapter',
    attempts: 'one dispatch and its replays',
    chain: 'an entry for each record',
    providerIds: 'ids that an adapter names, or a bounded input',
    reservations: ALLOWANCES,
    allowances: ALLOWANCES,
  },
  'approvals.list': {
    approvers: 'bounded in the document of a policy',
    decisions: 'one of each approver',
    impact: BY_ACTION,
    capabilities: 'declared by an adapter',
    allowances: ALLOWANCES,
  },
  'impactLimits.list': { thresholds: 'bounded by its input', crossings: 'one for each threshold' },
  'messages.list': { responseBody: '8 KiB' },
  'deadLetters.list': { responseBody: '8 KiB' },
  'messages.attempts.list': { responseBody: '8 KiB', responseHeaders: 'as many as are kept, each of 1 KiB' },
  'schedules.list': { message: 'of the service' },
  'schedules.runs': { messages: 'one for each endpoint of a group, a hundred at most', message: 'of the service' },
  'events.list': { message: 'of the service' },
  'events.subscriptions.list': { eventTypes: 'fifty patterns' },
  'events.subscriptions.recoveries.list': { message: 'of the service' },
  'deadLetters.jobs.list': { message: 'of the service' },
  'cache.list': { attributes: '16 of 200 characters' },
  'files.list': { metadata: '16 KiB' },
  'runs.list': { tags: 'fifty of a hundred characters' },
  'sessions.messages.list': { '': 'a message is of 64 KiB at most, and a conversation is read whole' },
  'memory.list': { content: MEMORY, metadata: MEMORY },
  'memory.history': { content: MEMORY, metadata: MEMORY },
  'notifications.list': { body: 'cut when it is made' },
};

/** Whether a member that the schema does not bound is bounded otherwise. An entry of WHOLE covers what the member holds. */
export function isBounded(routeId: string, { path, kind }: UnboundedMember): boolean {
  const entries = WHOLE[routeId] ?? {};
  const steps = path.replaceAll('[]', '').split('.');
  if (kind !== 'cut' && ('' in entries || steps.some((step) => step in entries) || path in entries)) return true;
  return kind === 'text' && SMALL_TEXTS.has(path.split('.').at(-1) ?? '');
}

/** The routes of WHOLE that are no lists any more. */
export function staleEntries(listIds: readonly string[]): string[] {
  return Object.keys(WHOLE).filter((id) => !listIds.includes(id));
}
