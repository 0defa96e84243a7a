import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * The APIs of OpenAI (Chat Completions) and Anthropic (Messages) with one model behind them, which goes by what it is sent: it asks for the
 * tool, mends arguments that were refused, follows `nextStep`, and says at last what became of it. It is as strict as the real ones: a
 * conversation that is not the one which it led, a tool that was called and not answered, a definition that the API would not take: 400.
 */

interface Tool {
  name: string;
  schema: object;
}

interface ToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** A turn of the conversation in the words of neither API. */
type Turn =
  | { from: 'user'; text: string }
  | { from: 'model'; text: string; calls: ToolCall[] }
  | { from: 'tool'; callId: string; content: string };

type Reply = { text: string; calls: ToolCall[] };

class BadRequestError extends Error {}

export interface FakeModels {
  baseUrl: string;
  /** Every conversation's answers, by its first text, in order. */
  readonly answers: Map<string, Reply[]>;
  stop(): Promise<void>;
}

const KEY = 'model-key';
export const FAKE_MODEL_KEY = KEY;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export async function startFakeModels(): Promise<FakeModels> {
  const answers = new Map<string, Reply[]>();
  const server = createServer((request, response) => {
    answer(request, answers).then(
      ({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, answers, stop: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  if (server.listening) await once(server, 'close');
}

async function answer(
  request: IncomingMessage,
  answers: Map<string, Reply[]>,
): Promise<{ status: number; body: unknown }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    const api = APIS[request.url ?? ''];
    if (api === undefined) return { status: 404, body: { error: { message: `no ${request.url}` } } };
    if (!api.isAuthorized(request)) return { status: 401, body: { error: { message: 'no such key' } } };
    const tools = api.toolsOf(body);
    for (const tool of tools) checkTool(tool);
    const turns = api.turnsOf(body);
    return { status: 200, body: api.shown(nextReply(turns, tools, answers)) };
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    return { status: 400, body: { error: { type: 'invalid_request_error', message: error.message } } };
  }
}

function checkTool({ name, schema }: Tool): void {
  if (!NAME.test(name)) throw new BadRequestError(`tools: ${name} is no name`);
  new Ajv2020({ strict: false }).compile(schema);
}

/** Holds the conversation to what was answered before, then answers. */
function nextReply(turns: readonly Turn[], tools: readonly Tool[], answers: Map<string, Reply[]>): Reply {
  const [first] = turns;
  if (first?.from !== 'user') throw new BadRequestError('the first message is the user’s');
  const before = answers.get(first.text) ?? [];
  const led = turns.filter((turn) => turn.from === 'model');
  if (JSON.stringify(led.map(({ text, calls }) => ({ text, calls }))) !== JSON.stringify(before)) {
    throw new BadRequestError(`this is not the conversation that was led: ${JSON.stringify(led)}`);
  }
  const last = led.at(-1);
  const results = turns.slice(last === undefined ? 1 : turns.lastIndexOf(last) + 1);
  for (const { id } of last?.calls ?? []) {
    if (!results.some((turn) => turn.from === 'tool' && turn.callId === id)) {
      throw new BadRequestError(`the tool call ${id} has no result`);
    }
  }
  const reply = think(first.text, results.at(-1), before.length, tools);
  answers.set(first.text, [...before, reply]);
  return reply;
}

/** First with arguments that no action takes, then with good ones; then it waits for as long as the result says; then it tells. */
function think(question: string, result: Turn | undefined, turn: number, tools: readonly Tool[]): Reply {
  const message = /“([^”]+)”/.exec(question)?.[1] ?? '';
  if (result?.from !== 'tool') return asks(turn, tools, /invoke_action|demo__echo/, withInput(tools, { message: 7 }));
  const record = recordIn(result.content);
  const { id, status, grade } = record;
  if (status === undefined) return asks(turn, tools, /invoke_action|demo__echo/, withInput(tools, { message }));
  if (status === 'pending_approval') return asks(turn, tools, /get_invocation/, { id, waitSeconds: 30 });
  return { text: `It ${status} (${grade}): ${id}.`, calls: [] };
}

/** What a tool answered: without a status, it was not carried out. */
type InvocationRecord = Partial<Record<'id' | 'status' | 'grade', string>>;

/** An MCP client hands on the whole result: a text for people and, unless it is an error, the record as JSON behind it. */
function recordIn(content: string): InvocationRecord {
  const parsed = JSON.parse(content) as InvocationRecord | { text: string }[];
  if (!Array.isArray(parsed)) return parsed;
  const json = parsed.map(({ text }) => text).find((text) => text.startsWith('{'));
  return json === undefined ? {} : (JSON.parse(json) as InvocationRecord);
}

function withInput(tools: readonly Tool[], input: object): Record<string, unknown> {
  const isMeta = tools.some(({ name }) => name === 'invoke_action');
  return isMeta ? { action: 'demo.echo', input, operationKey: 'a-greeting' } : { ...input };
}

function asks(turn: number, tools: readonly Tool[], wanted: RegExp, args: Record<string, unknown>): Reply {
  const tool = tools.find(({ name }) => wanted.test(name));
  if (tool === undefined) throw new BadRequestError(`no tool like ${wanted.source}`);
  const id = `call_${turn}_${Math.random().toString(36).slice(2, 12)}`;
  return { text: '', calls: [{ id, name: tool.name, arguments: args }] };
}

interface Api {
  isAuthorized(request: IncomingMessage): boolean;
  toolsOf(body: Record<string, unknown>): Tool[];
  turnsOf(body: Record<string, unknown>): Turn[];
  shown(reply: Reply): unknown;
}

interface OpenAiMessage {
  role: string;
  content?: string | { text: string }[] | null;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

const textOf = (content: OpenAiMessage['content']): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');

const openAi: Api = {
  isAuthorized: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
  toolsOf: (body) =>
    ((body['tools'] ?? []) as { type: string; function: { name: string; parameters: object } }[]).map((tool) => {
      if (tool.type !== 'function') throw new BadRequestError(`tools: ${tool.type} is no function`);
      return { name: tool.function.name, schema: tool.function.parameters };
    }),
  turnsOf: (body) =>
    (body['messages'] as OpenAiMessage[]).map(
      ({ role, content, tool_calls: calls = [], tool_call_id: callId = '' }) => {
        if (role === 'user') return { from: 'user', text: textOf(content) };
        if (role === 'tool') return { from: 'tool', callId, content: textOf(content) };
        if (role !== 'assistant') throw new BadRequestError(`messages: no role ${role}`);
        const made = calls.map((call) => ({
          id: call.id,
          name: call.function.name,
          arguments: JSON.parse(call.function.arguments) as Record<string, unknown>,
        }));
        return { from: 'model', text: textOf(content), calls: made };
      },
    ),
  shown: ({ text, calls }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'gpt-5.5',
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        logprobs: null,
        message: {
          role: 'assistant',
          content: text === '' ? null : text,
          refusal: null,
          ...(calls.length > 0
            ? {
                tool_calls: calls.map((call) => ({
                  id: call.id,
                  type: 'function',
                  function: { name: call.name, arguments: JSON.stringify(call.arguments) },
                })),
              }
            : {}),
        },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
};

interface AnthropicBlock {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
  tool_use_id?: string;
  content?: string | { text: string }[];
}

const anthropic: Api = {
  isAuthorized: ({ headers }) =>
    (headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', '')) === KEY &&
    headers['anthropic-version'] !== undefined,
  toolsOf: (body) =>
    ((body['tools'] ?? []) as { name: string; input_schema: object }[]).map((tool) => ({
      name: tool.name,
      schema: tool.input_schema,
    })),
  turnsOf: (body) =>
    (body['messages'] as { role: string; content: string | AnthropicBlock[] }[]).flatMap(
      ({ role, content }): Turn[] => {
        const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
        const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
        if (role === 'assistant') {
          const uses = blocks.filter(({ type }) => type === 'tool_use');
          const calls = uses.map(({ id = '', name = '', input = {} }) => ({ id, name, arguments: input }));
          return [{ from: 'model', text, calls }];
        }
        const results = blocks.filter(({ type }) => type === 'tool_result');
        if (results.length === 0) return [{ from: 'user', text }];
        return results.map(({ tool_use_id: callId = '', content: result = '' }) => {
          return { from: 'tool', callId, content: textOf(result) };
        });
      },
    ),
  shown: ({ text, calls }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
};

const APIS: Readonly<Record<string, Api>> = { '/v1/chat/completions': openAi, '/v1/messages': anthropic };
