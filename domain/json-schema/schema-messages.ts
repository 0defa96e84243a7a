import { z } from 'zod';
import { exampleShape } from './example-shape.ts';
import { meantText } from '../near-names.ts';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object such as {"name":"value"}',
  null: 'null',
};

const FORMAT_TEXTS: Readonly<Record<string, string>> = {
  url: 'a URL',
  email: 'an e-mail address',
  uuid: 'a UUID',
  datetime: 'a time such as 2026-01-31T12:00:00.000Z',
  safeint: 'an integer from -(2^53 - 1) to 2^53 - 1',
};

/** For the `error` of a parse. It says what the value must be; a missing member is "required", not "undefined". */
export const plainMessages: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'object') return objectText(issue.inst);
      return `must be ${TYPE_TEXTS[issue.expected] ?? `a ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return bound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return bound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_format':
      return formatText(issue.format);
    case 'unrecognized_keys':
      return unknownFields(issue.keys, issue.inst);
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'is of no kind that is taken here';
    default:
      return undefined;
  }
};

/** One line for each of the first keys: `unknownFieldMessages` takes them apart. */
function unknownFields(keys: readonly string[], schema: unknown): string {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return keys
    .slice(0, COMPARED_MAX)
    .map((key) => `${UNKNOWN_FIELD}${meantText(key, names)}`)
    .join('\n');
}

/** Only the first unknown keys are compared with the known ones: to compare ten thousand would hold the event loop. */
const COMPARED_MAX = 50;

const UNKNOWN_FIELD = 'is not a known field';

export function unknownFieldMessages(issue: z.core.$ZodIssueUnrecognizedKeys): { key: string; message: string }[] {
  const lines = issue.message.split('\n');
  return issue.keys.map((key, at) => {
    const line = lines[at];
    return { key, message: line?.startsWith(UNKNOWN_FIELD) === true ? line : UNKNOWN_FIELD };
  });
}

function bound(issue: RawIssue & { origin: string }, limit: number | bigint, words: string): string {
  if (issue.origin === 'string') return `must have ${words} ${counted(limit, 'character')}`;
  if (issue.origin === 'array' || issue.origin === 'set') return `must have ${words} ${counted(limit, 'item')}`;
  if (issue.origin === 'object' || issue.origin === 'record') return `must have ${words} ${counted(limit, 'member')}`;
  return `must be ${words} ${limit}`;
}

/** "must be an object such as …", by the schema that refused the value. */
function objectText(schema: unknown): string {
  const example = schema instanceof z.ZodObject ? exampleShape(jsonSchemaOf(schema)) : null;
  return example === null ? 'must be an object' : `must be an object such as ${example}`;
}

const jsonSchemas = new WeakMap<z.ZodObject, unknown>();

function jsonSchemaOf(schema: z.ZodObject): unknown {
  const known =
    jsonSchemas.get(schema) ?? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  jsonSchemas.set(schema, known);
  return known;
}

function counted(limit: number | bigint, noun: string): string {
  return `${limit} ${noun}${Number(limit) === 1 ? '' : 's'}`;
}

function formatText(format: string): string | undefined {
  const text = FORMAT_TEXTS[format];
  return text === undefined ? undefined : `must be ${text}`;
}
