import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
} from '@opentelemetry/semantic-conventions/incubating';
import { isJsonObject, type Json, jsonBytes, type JsonObject } from '../json.ts';
import { quoteInexactNumbers } from '../json-digits.ts';
import { isStorable } from '../storable-text.ts';
import { SPAN_BYTES_MAX } from './runs.ts';

export interface TracedEvent {
  name: string;
  /** Null where the event names no time. */
  at: string | null;
  attributes: JsonObject;
}

/** What was said to a model, a tool or an agent, and its answer. */
export interface SpanContents {
  input?: Json;
  output?: Json;
  /** Every attribute that is not shown as input or output. */
  attributes: JsonObject;
}

/** Where the events of a span stand whose contents are kept. */
export const EVENTS_ATTRIBUTE = 'span.events';

/** In the order in which they win. The first that says anything is shown; the others stay attributes. */
interface Convention {
  names: readonly string[];
  /** An attribute for each member of each message, as `llm.input_messages.0.message.content`. */
  indexed: readonly RegExp[];
  /** Events of the older GenAI convention, one for each message. */
  events: RegExp;
}

const INPUT: Convention = {
  names: [
    ATTR_GEN_AI_INPUT_MESSAGES,
    ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
    'gen_ai.prompt',
    'input.value',
    'traceloop.entity.input',
    'ai.prompt.messages',
    'ai.prompt',
    'ai.toolCall.args',
  ],
  indexed: [/^gen_ai\.prompt\.(\d+\..+)$/, /^llm\.input_messages\.(\d+\..+)$/, /^llm\.prompts\.(\d+\..+)$/],
  events: /^gen_ai\.(system|user|assistant|tool)\.message$/,
};
const OUTPUT: Convention = {
  names: [
    ATTR_GEN_AI_OUTPUT_MESSAGES,
    ATTR_GEN_AI_TOOL_CALL_RESULT,
    'gen_ai.completion',
    'output.value',
    'traceloop.entity.output',
    'ai.response.text',
    'ai.response.toolCalls',
    'ai.response.object',
    'ai.toolCall.result',
  ],
  indexed: [/^gen_ai\.completion\.(\d+\..+)$/, /^llm\.output_messages\.(\d+\..+)$/],
  events: /^gen_ai\.(choice)$/,
};

interface Candidate {
  value: Json;
  attributes: readonly string[];
  events: readonly TracedEvent[];
}

/**
 * The contents of a span by the conventions of OpenTelemetry (also the older one with events), OpenInference, Traceloop and Vercel. All of
 * them are kept: what is not shown as input or output stays an attribute, and events stand in EVENTS_ATTRIBUTE.
 */
export function contentsOf(attributes: JsonObject, events: readonly TracedEvent[]): SpanContents {
  const [input, output] = [saidBy(INPUT, attributes, events), saidBy(OUTPUT, attributes, events)];
  const shown = new Set([...(input?.attributes ?? []), ...(output?.attributes ?? [])]);
  const shownEvents = new Set([...(input?.events ?? []), ...(output?.events ?? [])]);
  const others = events.filter((event) => !shownEvents.has(event));
  return {
    ...(input === undefined ? {} : { input: input.value }),
    ...(output === undefined ? {} : { output: output.value }),
    attributes: {
      ...Object.fromEntries(Object.entries(attributes).filter(([name]) => !shown.has(name))),
      ...(others.length === 0 ? {} : { [EVENTS_ATTRIBUTE]: others.map((event) => ({ ...event })) }),
    },
  };
}

function saidBy(convention: Convention, attributes: JsonObject, events: readonly TracedEvent[]): Candidate | undefined {
  const candidates = [
    ...named(convention, attributes).map(([name, value]) => ({ value, attributes: [name], events: [] })),
    ...convention.indexed.flatMap((pattern) => indexedMessages(pattern, attributes)),
    ...messagesOfEvents(convention, events),
    // An event that holds what attributes hold elsewhere. It stays an event, because it says more than that.
    ...events
      .filter(({ name }) => name.startsWith('gen_ai.'))
      .flatMap((event) =>
        named(convention, event.attributes).map(([, value]) => ({ value, attributes: [], events: [] })),
      ),
  ];
  return candidates.find(({ value }) => !isEmpty(value)) ?? candidates[0];
}

function named({ names }: Convention, attributes: JsonObject): [string, Json][] {
  return names.flatMap((name) => {
    const value = attributes[name];
    return value === undefined ? [] : [[name, parsed(value)] as [string, Json]];
  });
}

function messagesOfEvents({ events: pattern }: Convention, events: readonly TracedEvent[]): Candidate[] {
  const messages = events.filter(({ name }) => pattern.test(name));
  if (messages.length === 0) return [];
  const value = messages.map(({ name, attributes }) => {
    const role = pattern.exec(name)?.[1] ?? '';
    const members = Object.fromEntries(Object.entries(attributes).map(([key, member]) => [key, parsed(member)]));
    return role === 'choice' ? members : { role, ...members };
  });
  return [{ value, attributes: [], events: messages }];
}

/** Deeper names stay one name: a path may have thousands of parts. */
const PATH_PARTS_MAX = 12;

type Tree = Map<string, Tree | Json>;

/** Builds messages from attributes that each hold a member of one. An attribute that contradicts another stays as it is. */
function indexedMessages(pattern: RegExp, attributes: JsonObject): Candidate[] {
  const root: Tree = new Map();
  const used: string[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const path = pattern.exec(name)?.[1]?.split('.');
    if (path === undefined) continue;
    const parts = [...path.slice(0, PATH_PARTS_MAX - 1), ...tailOf(path.slice(PATH_PARTS_MAX - 1))];
    // OpenInference writes `0.message.content` where others write `0.content`.
    if (plant(root, parts[1] === 'message' && parts.length > 2 ? parts.toSpliced(1, 1) : parts, value)) used.push(name);
  }
  return used.length === 0 ? [] : [{ value: jsonOfTree(root), attributes: used, events: [] }];
}

const tailOf = (parts: readonly string[]): string[] => (parts.length === 0 ? [] : [parts.join('.')]);

function plant(tree: Tree, [first = '', ...rest]: readonly string[], value: Json): boolean {
  const there = tree.get(first);
  if (rest.length === 0) {
    if (there !== undefined) return false;
    tree.set(first, value);
    return true;
  }
  if (there !== undefined && !(there instanceof Map)) return false;
  const below: Tree = there ?? new Map();
  if (there === undefined) tree.set(first, below);
  return plant(below, rest, value);
}

function jsonOfTree(tree: Tree): Json {
  const members = [...tree].map(([name, value]) => [name, value instanceof Map ? jsonOfTree(value) : value] as const);
  if (!members.every(([name]) => /^\d{1,9}$/.test(name))) return Object.fromEntries(members);
  return members.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

function isEmpty(value: Json): boolean {
  if (value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.every(isEmpty);
  return isJsonObject(value) && Object.keys(value).length === 0;
}

const JSON_DEPTH_MAX = 64;
/** NUL and halves of characters, escaped. Two halves are a character, as Python writes it. */
const MAY_BE_UNSTORABLE = /\\u(0000|d[89a-f])/i;
/** A longer one is cut as a text. */
const PARSED_CHARACTERS_MAX = 2 * SPAN_BYTES_MAX;
const MAY_BE_JSON = /^\s*[[{"ntf\d-]/;

/** Instrumentations write messages as JSON in a string. What cannot be stored as JSON stays text. */
function parsed(value: Json): Json {
  if (typeof value !== 'string' || value.length > PARSED_CHARACTERS_MAX || !MAY_BE_JSON.test(value)) return value;
  try {
    const json = JSON.parse(quoteInexactNumbers(value)) as Json;
    if (!isShallow(json, JSON_DEPTH_MAX)) return value;
    if (MAY_BE_UNSTORABLE.test(value) && !isStorable(json)) return value;
    // Such as many numbers that are longer where they are stored.
    return jsonBytes(json) > value.length + SPAN_BYTES_MAX ? value : json;
  } catch {
    return value; // plain text
  }
}

function isShallow(value: Json, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depthLeft > 0 && Object.values(value).every((member) => isShallow(member, depthLeft - 1));
}
