import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, test } from 'vitest';
import { isContent, spanOfTrace, type TracedSpan } from '../../../domain/runs/otlp.ts';

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

const spanWith = (attributes: TracedSpan['attributes']): TracedSpan => ({
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
  events: {},
});

test('an attribute that is an object keeps what was not said', () => {
  const span = spanWith({ agent: { id: 'a1', turns: [{ llm_request: 'of Ada', model: 'gpt' }] } });
  expect(spanOfTrace(span, false)?.attributes).toEqual({ agent: { id: 'a1', turns: [{ model: 'gpt' }] } });
  expect(spanOfTrace(span, true)?.attributes).toEqual(span.attributes);
});

test('a span is as large as PostgreSQL writes its numbers, those in a text of JSON too', () => {
  const large = Array.from({ length: 1_000 }, () => 1e308);
  expect(spanOfTrace(spanWith({ sizes: large }), true)).toBeNull();
  const said = spanWith({ 'input.value': JSON.stringify(large) });
  expect(spanOfTrace(said, true)).toMatchObject({ attributes: {} });
  expect(spanOfTrace(said, true)).not.toHaveProperty('input');
  expect(spanOfTrace(spanWith({ 'input.value': '[1e308]' }), true)).toMatchObject({ input: [1e308] });
});
