import {
  ATTR_DNS_ANSWERS,
  ATTR_ENDUSER_ID,
  ATTR_ERROR_TYPE,
  ATTR_EXCEPTION_MESSAGE,
  ATTR_EXCEPTION_TYPE,
  ATTR_GEN_AI_AGENT_ID,
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_DATA_SOURCE_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_TYPE,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
  ATTR_SERVICE_NAME,
  ATTR_USER_ID,
} from '@opentelemetry/semantic-conventions/incubating';
import { isJsonObject, type Json, jsonBytes, type JsonObject } from '../json.ts';
import { fitContents } from './cut-contents.ts';
import { contentsOf, type TracedEvent } from './otlp-contents.ts';
import { SPAN_BYTES_MAX, SPAN_NAME_CHARACTERS_MAX, type SpanKind, type SpanUpsert } from './runs.ts';

/** A span of OTLP, whichever encoding it came in. */
export interface TracedSpan {
  traceId: string;
  spanId: string;
  /** Null for a root. */
  parentId: string | null;
  name: string;
  startedAt: string;
  /** Null while it is open. */
  endedAt: string | null;
  hasFailed: boolean;
  statusMessage: string;
  /** Those of its resource stand under them. */
  attributes: JsonObject;
  resource: JsonObject;
  events: readonly TracedEvent[];
}

/** Names the run that spans belong to, on a span or on its resource. */
export const RUN_ID_ATTRIBUTE = 'service.run.id';

/** Names of conventions whose packages are not needed for so few. */
const DECLARED_KINDS = ['openinference.span.kind', 'traceloop.span.kind'] as const;
/** The names of OpenTelemetry, OpenInference, Traceloop and Vercel. */
const INPUT_TOKENS = [
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
  'llm.token_count.prompt',
  'llm.usage.prompt_tokens',
  'ai.usage.promptTokens',
] as const;
const OUTPUT_TOKENS = [
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_COMPLETION_TOKENS,
  'llm.token_count.completion',
  'llm.usage.completion_tokens',
  'ai.usage.completionTokens',
] as const;
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
const KIND_OF_DECLARED: ReadonlyMap<string, SpanKind> = new Map([
  ['LLM', 'model'],
  ['EMBEDDING', 'model'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ['RETRIEVER', 'retrieval'],
  ['RERANKER', 'retrieval'],
  ['WORKFLOW', 'agent'],
]);

/**
 * Words in names of attributes that hold what was said. Any such name is content: an unknown convention leaks nothing.
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

/** The span to write. Contents only with `captureContent`; cuts set CUT_ATTRIBUTE. Returns null when it is too large without any content. */
export function spanOfTrace(span: TracedSpan, captureContent: boolean): SpanUpsert | null {
  const { attributes } = span;
  const own = Object.entries(attributes).filter(([name]) => name !== RUN_ID_ATTRIBUTE);
  const tokens = tokensOf(attributes);
  const cost = COSTS.map((name) => attributes[name]).find((value) => typeof value === 'number' && value >= 0);
  const bare: SpanUpsert = {
    id: span.spanId,
    parentId: span.parentId,
    traceId: span.traceId,
    name: firstCharacters(span.name, SPAN_NAME_CHARACTERS_MAX) || 'unnamed',
    kind: kindOf(attributes, tokens !== null),
    startedAt: span.startedAt,
    endedAt: span.endedAt,
    status: span.endedAt === null ? 'running' : span.hasFailed ? 'failed' : 'succeeded',
    ...(tokens === null ? {} : { tokens }),
    ...(typeof cost === 'number' ? { cost } : {}),
    ...(span.hasFailed ? { error: errorOf(span, captureContent) } : {}),
    attributes: withoutContent(Object.fromEntries(own)),
  };
  if (!captureContent) return jsonBytes(bare) <= SPAN_BYTES_MAX ? bare : null;
  return fitContents({ ...bare, ...contentsOf(Object.fromEntries(own), span.events) }, withoutMessage(bare));
}

export function runIdOf({ attributes, resource }: TracedSpan): string | null {
  return textOr(attributes[RUN_ID_ATTRIBUTE]) ?? textOr(resource[RUN_ID_ATTRIBUTE]);
}

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

/** A span that says what a model used is the call of a model, unless it says that it is something else. */
function kindOf(attributes: JsonObject, hasUsage: boolean): SpanKind {
  const operation = textOr(attributes[ATTR_GEN_AI_OPERATION_NAME]) ?? '';
  const declared = DECLARED_KINDS.map((name) => textOr(attributes[name])).find((kind) => kind !== null);
  const known = KIND_OF_OPERATION.get(operation) ?? KIND_OF_DECLARED.get(declared?.toUpperCase() ?? '');
  return known ?? (hasUsage && declared === undefined ? 'model' : 'other');
}

function tokensOf(attributes: JsonObject): { input: number | null; output: number | null } | null {
  const input = countIn(attributes, INPUT_TOKENS);
  const output = countIn(attributes, OUTPUT_TOKENS);
  return input === null && output === null ? null : { input, output };
}

function countIn(attributes: JsonObject, names: readonly string[]): number | null {
  const counts = names.map((name) => attributes[name]).map((value) => (isDigits(value) ? Number(value) : value));
  const found = counts.find((value) => Number.isSafeInteger(value) && Number(value) >= 0);
  return typeof found === 'number' ? found : null;
}

/** Some instrumentations write every attribute as a text. */
const isDigits = (value: Json | undefined): boolean => typeof value === 'string' && /^\d{1,16}$/.test(value);

/** The class of an error is kept; what an exception says may quote a prompt. */
function errorOf(span: TracedSpan, captureContent: boolean): JsonObject {
  // The last one is what ended the span.
  const exceptions = span.events.filter(({ name }) => name === 'exception').toReversed();
  const lastOf = (name: string): string | null =>
    exceptions.map(({ attributes }) => textOr(attributes[name])).find((text) => text !== null) ?? null;
  const type =
    textOr(span.attributes[ATTR_ERROR_TYPE]) ??
    lastOf(ATTR_EXCEPTION_TYPE) ??
    textOr(span.attributes[ATTR_EXCEPTION_TYPE]);
  const message = lastOf(ATTR_EXCEPTION_MESSAGE) ?? textOr(span.statusMessage);
  return { ...(type === null ? {} : { type }), ...(captureContent && message !== null ? { message } : {}) };
}

function withoutMessage(span: SpanUpsert): SpanUpsert {
  if (!span.error) return span;
  const { message: _, ...error } = span.error;
  return { ...span, error };
}

function textOr(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
