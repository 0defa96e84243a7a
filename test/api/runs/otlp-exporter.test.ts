import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Context, context, type ContextManager, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { listedRunSchema, spanSchema } from '../../../api/runs/schemas.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

/** The packages that agents really use, as they come from npm: OpenAI's client, its instrumentation, and the exporter. */
afterAll(async () => {
  context.disable();
  model.closeAllConnections();
  await new Promise((resolve) => model.close(resolve));
});

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'fake-1',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'It was shipped.' } }],
  usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
};

class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT;
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(active, () => work.call(thisArg as never, ...args));
  }
  bind<T>(active: Context, target: T): T {
    if (typeof target !== 'function') return target;
    return ((...args: unknown[]): unknown => this.#storage.run(active, () => target(...args) as unknown)) as T;
  }
  enable = () => this;
  disable = () => this;
}

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);
const model = createServer((request, response) => {
  request.resume();
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(COMPLETION));
});
model.listen(0, '127.0.0.1');
await once(model, 'listening');
context.setGlobalContextManager(new AsyncContexts());

interface OpenAiModule {
  OpenAI: new (options: { apiKey: string; baseURL: string; maxRetries: number }) => {
    chat: { completions: { create(body: object): Promise<unknown> } };
  };
}

/** An agent that asks its model once, and is watched as OpenTelemetry's documents say. */
async function runAgent(application: string, headers: Record<string, string>): Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${api.baseUrl}/api/v2/otlp/v1/traces`,
    headers: { Authorization: `Bearer ${key}`, ...headers },
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': application }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const instrumentation = new OpenAIInstrumentation();
  instrumentation.setTracerProvider(provider);
  try {
    const { OpenAI } = createRequire(import.meta.url)('openai') as OpenAiModule;
    const { port } = model.address() as AddressInfo;
    const client = new OpenAI({ apiKey: 'sk-fake', baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
    const agent = provider.getTracer('agent').startSpan('invoke_agent support', {
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': 'support',
        'gen_ai.input.messages': ASKED,
      },
    });
    const messages = [{ role: 'user', content: 'Where is order 4711?' }];
    await context.with(trace.setSpan(context.active(), agent), () =>
      client.chat.completions.create({ model: 'fake-1', messages }),
    );
    agent.end();
    await provider.forceFlush();
  } finally {
    instrumentation.disable();
    await provider.shutdown();
  }
}

const ASKED = '[{"role":"user","parts":[{"type":"text","content":"Where is order 4711?"}]}]';

async function runOf(application: string) {
  const listed = await api.call('GET', `/api/v2/runs?application=${application}`, { key });
  const [run, ...others] = dataOf(listed, z.array(listedRunSchema));
  expect(others).toEqual([]);
  if (run === undefined) throw new Error('no run was made');
  return run;
}

const spansOf = async (run: string, query = '') =>
  dataOf(await api.call('GET', `/api/v2/runs/${run}/spans${query}`, { key }), z.array(spanSchema));

test('the exporter of OpenTelemetry and the instrumentation of OpenAI make a run with its tree', async () => {
  await runAgent('shop', {});
  const run = await runOf('shop');
  expect(run).toMatchObject({ name: 'invoke_agent support', agentId: 'support', status: 'succeeded', tokens: 19 });
  const [root, ...others] = await spansOf(run.id);
  expect(others).toEqual([]);
  expect(root).toMatchObject({ name: 'invoke_agent support', kind: 'agent', input: null, childCount: 1 });
  const children = await spansOf(run.id, `?parentId=${root?.id}`);
  expect(children).toMatchObject([
    {
      name: 'chat fake-1',
      kind: 'model',
      status: 'succeeded',
      tokens: { input: 12, output: 7 },
      attributes: { 'gen_ai.request.model': 'fake-1', 'gen_ai.response.model': 'fake-1' },
    },
  ]);
  expect(JSON.stringify([root, children])).not.toContain('4711');
});

test('and keep what was said where the exporter sends X-Service-Capture-Content', async () => {
  await runAgent('shop-open', { 'X-Service-Capture-Content': 'true' });
  const [root] = await spansOf((await runOf('shop-open')).id);
  expect(root?.input).toEqual(JSON.parse(ASKED));
});
