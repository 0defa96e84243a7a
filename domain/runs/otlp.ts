import {
  ATTR_DNS_ANSWERS,
  ATTR_ENDUSER_ID,
  ATTR_EXCEPTION_MESSAGE,
  ATTR_EXCEPTION_TYPE,
  ATTR_GEN_AI_AGENT_ID,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_DATA_SOURCE_ID,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
  ATTR_SERVICE_NAME,
  ATTR_USER_ID,
} from '@opentelemetry/semantic-conventions/incubating';
import { isJsonObject, type Json, jsonBytes, type JsonObject } from '../json.ts';
import { SPAN_BYTES_MAX, SPAN_NAME_CHARACTERS_MAX, type SpanKind, type SpanUpsert } from './runs.ts';

/** A span of OTLP, whichever encoding it came in. */
export interface TracedSpan {
  traceId: string;
  spanId: string;
  /** Null for a root. */
  parentId: string | null;
  name: string;
  startedAt: string;
  /** Null: it is not over. */
  endedAt: string | null;
  hasFailed: boolean;
  statusMessage: string;
  /** Those of its resource stand under them. */
  attributes: JsonObject;
  resource: JsonObject;
  /** The attributes of its events, by the event's name; the last of a name. */
  events: Readonly<Record<string, JsonObject>>;
}

/** Names the run that spans belong to, on a span or on its resource. */
export const RUN_ID_ATTRIBUTE = 'service.run.id';

/** OpenInference's names; its package is not needed for six of them. */
const OPEN_INFERENCE_KIND = 'openinference.span.kind';
const OPEN_INFERENCE_TOKENS = ['llm.token_count.prompt', 'llm.token_count.completion'] as const;
const COSTS = ['llm.cost.total', 'gen_ai.usage.cost'] as const;

const KIND_OF_OPERATION: ReadonlyMap<string, SpanKind> = new Map([
  ['chat', 'model'],
  ['text_completion', 'model'],
  ['generate_content', 'model'],
  ['embeddings', 'model'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['retrieval', 'retrieval'],
]);
const KIND_OF_OPEN_INFERENCE: ReadonlyMap<string, SpanKind> = new Map([
  ['LLM', 'model'],
  ['EMBEDDING', 'model'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ['RETRIEVER', 'retrieval'],
  ['RERANKER', 'retrieval'],
]);

const INPUTS = [ATTR_GEN_AI_INPUT_MESSAGES, ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, 'gen_ai.prompt', 'input.value'] as const;
const OUTPUTS = [
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  'gen_ai.completion',
  'output.value',
] as const;

/**
 * Words in the names of attributes that hold what was said. All conventions for models use them. A name with any of them is content, listed
 * somewhere or not: a convention that nobody has heard of leaks nothing.
 */
const CONTENT_WORD =
  /^(prompts?|completions?|messages?|msg|inputs?|outputs?|contents?|arguments?|args|results?|documents?|text|instructions|query|statement|parameters|params|variables|template|definitions?|description|values?|data|body|events|object|calls|embeddings?|transcript|stacktrace|explanation|thinking|reasoning)$/i;
/** Content where the name ends in them. Elsewhere they say what a name is about, such as that of the model that was asked. */
const CONTENT_AT_END =
  /^(requests?|responses?|call|answers?|questions?|reply|replies|choices|thoughts?|observations?|payload)$/i;
/** How the content is written, behind the word that says so. */
const FORMAT_WORD = /^(|json|raw|str|string)$/i;
const WORD_ENDS = /[^A-Za-z]|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const NO_CONTENT: ReadonlySet<string> = new Set([
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_DATA_SOURCE_ID,
  'gen_ai.prompt.name',
  ATTR_DNS_ANSWERS,
]);

export function isContent(name: string, value: Json): boolean {
  if (NO_CONTENT.has(name) || typeof value === 'number' || typeof value === 'boolean') return false;
  const words = name.split(WORD_ENDS);
  const last = words.findLast((word) => !FORMAT_WORD.test(word)) ?? '';
  return CONTENT_AT_END.test(last) || words.some((word) => CONTENT_WORD.test(word));
}

/** Also within an attribute that is an object: its members have names as attributes have. */
function withoutContent(attributes: JsonObject): JsonObject {
  const kept = Object.entries(attributes).filter(([name, value]) => !isContent(name, value));
  return Object.fromEntries(kept.map(([name, value]) => [name, membersWithoutContent(value)]));
}

function membersWithoutContent(value: Json): Json {
  if (Array.isArray(value)) return value.map(membersWithoutContent);
  return isJsonObject(value) ? withoutContent(value) : value;
}

/** The span as it is written. Contents are kept only where the caller asked for it. Null: it is too large. */
export function spanOfTrace(span: TracedSpan, captureContent: boolean): SpanUpsert | null {
  const { attributes } = span;
  const own = Object.entries(attributes).filter(([name]) => name !== RUN_ID_ATTRIBUTE);
  const exception = span.events['exception'];
  const tokens = tokensOf(attributes);
  const cost = COSTS.map((name) => attributes[name]).find((value) => typeof value === 'number' && value >= 0);
  const bare: SpanUpsert = {
    id: span.spanId,
    parentId: span.parentId,
    traceId: span.traceId,
    name: firstCharacters(span.name, SPAN_NAME_CHARACTERS_MAX) || 'unnamed',
    kind: kindOf(attributes),
    startedAt: span.startedAt,
    endedAt: span.endedAt,
    status: span.endedAt === null ? 'running' : span.hasFailed ? 'failed' : 'succeeded',
    ...(tokens === null ? {} : { tokens }),
    ...(typeof cost === 'number' ? { cost } : {}),
    ...(span.hasFailed ? { error: errorOf(span, exception, captureContent) } : {}),
    attributes: withoutContent(Object.fromEntries(own)),
  };
  const whole = captureContent ? { ...bare, ...contentsOf(attributes) } : bare;
  return [whole, bare].find((one) => jsonBytes(one) <= SPAN_BYTES_MAX) ?? null;
}

export function runIdOf({ attributes, resource }: TracedSpan): string | null {
  return textOr(attributes[RUN_ID_ATTRIBUTE]) ?? textOr(resource[RUN_ID_ATTRIBUTE]);
}

/** What the run of a trace takes from a span of it. */
export interface RunFacts {
  agentId: string | null;
  userId: string | null;
  application: string | null;
}

export function runFactsOf({ attributes, resource }: TracedSpan): RunFacts {
  const agentId = textOr(attributes[ATTR_GEN_AI_AGENT_ID]) ?? textOr(attributes[ATTR_GEN_AI_AGENT_NAME]);
  const userId = textOr(attributes[ATTR_USER_ID]) ?? textOr(attributes[ATTR_ENDUSER_ID]);
  const application = textOr(resource[ATTR_SERVICE_NAME]);
  return {
    agentId: agentId === null ? null : firstCharacters(agentId, 60),
    userId: userId === null ? null : firstCharacters(userId, 200),
    application: application === null ? null : firstCharacters(application, 200),
  };
}

/** Never half a character, which PostgreSQL refuses. */
export function firstCharacters(text: string, max: number): string {
  return Array.from(text.slice(0, max * 2))
    .slice(0, max)
    .join('');
}

function kindOf(attributes: JsonObject): SpanKind {
  const operation = textOr(attributes[ATTR_GEN_AI_OPERATION_NAME]) ?? '';
  const kind = textOr(attributes[OPEN_INFERENCE_KIND])?.toUpperCase() ?? '';
  return KIND_OF_OPERATION.get(operation) ?? KIND_OF_OPEN_INFERENCE.get(kind) ?? 'other';
}

function tokensOf(attributes: JsonObject): { input: number | null; output: number | null } | null {
  const [prompt, completion] = OPEN_INFERENCE_TOKENS;
  const input = countIn(attributes, [ATTR_GEN_AI_USAGE_INPUT_TOKENS, ATTR_GEN_AI_USAGE_PROMPT_TOKENS, prompt]);
  const output = countIn(attributes, [
    ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
    ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
    completion,
  ]);
  return input === null && output === null ? null : { input, output };
}

function countIn(attributes: JsonObject, names: readonly string[]): number | null {
  const found = names
    .map((name) => attributes[name])
    .find((value) => Number.isSafeInteger(value) && Number(value) >= 0);
  return typeof found === 'number' ? found : null;
}

/** The type of an exception is kept; what it says may quote a prompt. */
function errorOf(span: TracedSpan, exception: JsonObject | undefined, captureContent: boolean): JsonObject {
  const type = textOr(exception?.[ATTR_EXCEPTION_TYPE]) ?? textOr(span.attributes['error.type']);
  const message =
    textOr(exception?.[ATTR_EXCEPTION_MESSAGE]) ?? (span.statusMessage === '' ? null : span.statusMessage);
  return { ...(type === null ? {} : { type }), ...(captureContent && message !== null ? { message } : {}) };
}

function contentsOf(attributes: JsonObject): Pick<SpanUpsert, 'input' | 'output' | 'attributes'> {
  const input = valueIn(attributes, INPUTS);
  const output = valueIn(attributes, OUTPUTS);
  const shown = new Set<string>([...INPUTS, ...OUTPUTS, RUN_ID_ATTRIBUTE]);
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !shown.has(name))),
  };
}

const JSON_DEPTH_MAX = 64;
/** NUL and halves of characters, escaped: PostgreSQL has neither in a text. */
const UNSTORABLE_ESCAPE = /\\u(0000|d[89a-f])/i;

/** Instrumentations write messages as JSON in a string. What cannot be stored as JSON stays text. */
function valueIn(attributes: JsonObject, names: readonly string[]): Json | undefined {
  const found = names.map((name) => attributes[name]).find((value) => value !== undefined);
  if (typeof found !== 'string' || found.length > SPAN_BYTES_MAX || UNSTORABLE_ESCAPE.test(found)) return found;
  try {
    const parsed = JSON.parse(found) as Json;
    return isShallow(parsed, JSON_DEPTH_MAX) ? parsed : found;
  } catch {
    return found; // plain text
  }
}

function isShallow(value: Json, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depthLeft > 0 && Object.values(value).every((member) => isShallow(member, depthLeft - 1));
}

function textOr(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
