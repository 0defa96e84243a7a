import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, test } from 'vitest';
import { jsonBytes } from '../../../domain/json.ts';
import { isContent, spanOfTrace, type TracedSpan } from '../../../domain/runs/otlp.ts';
import { SPAN_BYTES_MAX } from '../../../domain/runs/runs.ts';

const LAST_WORD = /(?<![A-Za-z])(requests?|responses?|call|answers?|questions?|reply|replies|choices|payload)$/;

test.each([
  'gen_ai.input.messages',
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.llm_response',
  'gcp.vertex.agent.tool_response',
  'gcp.vertex.agent.tool_call_args',
  'llm.function_call',
  'llm.function_call.0',
  'llm_response_json',
  'llmResponse',
  'LLMRequest',
  'HTTPBody',
  'rag.answer',
  'agent.generate.argument.0',
])('%s says what was said', (name) => {
  expect(isContent(name, 'of Ada')).toBe(true);
  expect(isContent(name, 7)).toBe(false);
});

test.each([
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.response.id',
  'gen_ai.response.finish_reasons',
  'gen_ai.tool.call.id',
  'gen_ai.output.type',
  'gen_ai.conversation.id',
  'http.request.method',
  'dns.question.name',
  'dns.answers',
])('%s does not', (name) => {
  expect(isContent(name, 'gpt')).toBe(false);
});

test('no attribute of the conventions is left out for the last word of its name', () => {
  const names = Object.entries(conventions).flatMap(([constant, name]) =>
    constant.startsWith('ATTR_') && typeof name === 'string' ? [name] : [],
  );
  expect(names.length).toBeGreaterThan(900);
  expect(names.filter((name) => LAST_WORD.test(name) && isContent(name, 'x'))).toEqual([]);
});

const spanWith = (attributes: TracedSpan['attributes'], more: Partial<TracedSpan> = {}): TracedSpan => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentId: null,
  name: 'chat',
  startedAt: new Date().toISOString(),
  endedAt: null,
  hasFailed: false,
  statusMessage: '',
  attributes,
  resource: {},
  events: [],
  ...more,
});
const captured = (attributes: TracedSpan['attributes'], more: Partial<TracedSpan> = {}) =>
  spanOfTrace(spanWith(attributes, more), true);
const event = (name: string, attributes: TracedSpan['attributes']) => ({ name, at: null, attributes });

test('an attribute that is an object keeps what was not said', () => {
  const span = spanWith({ agent: { id: 'a1', turns: [{ llm_request: 'of Ada', model: 'gpt' }] } });
  expect(spanOfTrace(span, false)?.attributes).toEqual({ agent: { id: 'a1', turns: [{ model: 'gpt' }] } });
  expect(spanOfTrace(span, true)?.attributes).toEqual(span.attributes);
});

test('a span is as large as PostgreSQL writes its numbers, those in a text of JSON too', () => {
  const large = Array.from({ length: 1_000 }, () => 1e308);
  expect(spanOfTrace(spanWith({ sizes: large }), true)).toBeNull();
  const said = spanWith({ 'input.value': JSON.stringify(large) });
  expect(spanOfTrace(said, true)).toMatchObject({ input: JSON.stringify(large), attributes: {} });
  expect(spanOfTrace(spanWith({ 'input.value': '[1e308]' }), true)).toMatchObject({ input: [1e308] });
});

test.each([
  [{ 'gen_ai.usage.input_tokens': 3 }, 'model'],
  [{ 'llm.usage.completion_tokens': 3 }, 'model'],
  [{ 'gen_ai.usage.output_tokens': '12', 'gen_ai.operation.name': 'responses' }, 'model'],
  [{ 'gen_ai.usage.input_tokens': 3, 'gen_ai.operation.name': 'invoke_agent' }, 'agent'],
  [{ 'llm.token_count.prompt': 3, 'openinference.span.kind': 'CHAIN' }, 'other'],
  [{ 'gen_ai.request.model': 'gpt' }, 'other'],
])('%j is of a span of kind %s', (attributes, kind) => {
  expect(spanOfTrace(spanWith(attributes), false)).toMatchObject({ kind });
});

test('a failed span keeps the class of its error without any contents', () => {
  const exception = event('exception', { 'exception.type': 'LookupError', 'exception.message': 'of Ada' });
  const errorOf = (attributes: TracedSpan['attributes'], events: TracedSpan['events']) =>
    spanOfTrace(spanWith(attributes, { hasFailed: true, statusMessage: 'of Ada', events }), false)?.error;
  expect(errorOf({}, [exception])).toEqual({ type: 'LookupError' });
  expect(errorOf({ 'error.type': 'timeout' }, [exception])).toEqual({ type: 'timeout' });
  expect(errorOf({ 'error.type': '' }, [exception, event('exception', {})])).toEqual({ type: 'LookupError' });
  expect(errorOf({ 'exception.type': 'IOError' }, [])).toEqual({ type: 'IOError' });
  expect(errorOf({}, [])).toEqual({});
});

test('of all that a span says, the first that says anything is its input, and nothing else is lost', () => {
  const span = captured({
    'gen_ai.input.messages': '[]',
    'gen_ai.tool.call.arguments': ' ',
    'input.value': '{"order":12345678901234567890}',
    'gen_ai.system_instructions': 'Be kind',
    'gen_ai.completion': 'Yes',
    'output.value': 'Yes, Ada',
  });
  expect(span).toMatchObject({ input: { order: '12345678901234567890' }, output: 'Yes' });
  expect(span?.attributes).toEqual({
    'gen_ai.input.messages': '[]',
    'gen_ai.tool.call.arguments': ' ',
    'gen_ai.system_instructions': 'Be kind',
    'output.value': 'Yes, Ada',
  });
  expect(captured({ 'input.value': '' })).toMatchObject({ input: '' });
  expect(captured({ 'input.value': '{"said":"\\ud83d\\ude00"}' })).toMatchObject({ input: { said: '😀' } });
});

test.each([
  ['Traceloop', 'gen_ai.prompt.', 'gen_ai.completion.', ''],
  ['OpenInference', 'llm.input_messages.', 'llm.output_messages.', 'message.'],
])('messages of %s, a member in each attribute, become messages', (_, input, output, within) => {
  const span = captured({
    [`${input}1.${within}content`]: 'Where is it?',
    [`${input}1.${within}role`]: 'user',
    [`${input}0.${within}role`]: 'system',
    [`${output}0.${within}tool_calls.0.name`]: 'look_up',
    'llm.request.type': 'chat',
  });
  expect(span?.input).toEqual([{ role: 'system' }, { content: 'Where is it?', role: 'user' }]);
  expect(span?.output).toEqual([{ tool_calls: [{ name: 'look_up' }] }]);
  expect(span?.attributes).toEqual({ 'llm.request.type': 'chat' });
});

test('messages that are events become messages, and other events stay', () => {
  const span = captured(
    {},
    {
      events: [
        event('gen_ai.system.message', { content: 'Be kind' }),
        event('gen_ai.user.message', { content: 'Where?' }),
        event('gen_ai.choice', { index: 0, message: '{"content":"Here"}' }),
        event('retried', { after: 'of Ada' }),
      ],
    },
  );
  expect(span?.input).toEqual([
    { role: 'system', content: 'Be kind' },
    { role: 'user', content: 'Where?' },
  ]);
  expect(span?.output).toEqual([{ index: 0, message: { content: 'Here' } }]);
  expect(span?.attributes).toEqual({ 'span.events': [event('retried', { after: 'of Ada' })] });
  const details = event('gen_ai.client.inference.operation.details', { 'gen_ai.input.messages': '[{"role":"user"}]' });
  expect(captured({}, { events: [details] })).toMatchObject({ input: [{ role: 'user' }] });
});

test('contents that are too large are cut, the longest texts first, and the span says so', () => {
  const messages = [
    { role: 'user', content: 'é"'.repeat(30_000) },
    { role: 'user', content: 'short' },
  ];
  const span = captured({ 'gen_ai.input.messages': JSON.stringify(messages), 'input.value': 'y'.repeat(90_000) });
  expect(span?.input).toEqual([
    { role: 'user', content: expect.stringMatching(/… \[\d+ characters cut\]$/) as string },
    { role: 'user', content: 'short' },
  ]);
  expect(span?.attributes).toMatchObject({
    'input.value': expect.stringMatching(/^y{25000}.*cut\]$/) as string,
    'service.content.cut': expect.stringContaining('texts after') as string,
  });
  expect(jsonBytes(span)).toBeLessThanOrEqual(SPAN_BYTES_MAX);
  expect(jsonBytes(span)).toBeGreaterThan(SPAN_BYTES_MAX - 200);
  const short = captured(
    Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`prompt.${index}`, 'of Ada'])),
  );
  expect(short?.attributes).toEqual({ 'service.content.cut': expect.stringContaining('all contents') as string });
});
