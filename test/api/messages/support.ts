import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { z } from 'zod';
import { messageSchema, publishedSchema } from '../../../api/messages/schemas.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';

export type Message = z.infer<typeof messageSchema>;
export type Published = z.infer<typeof publishedSchema>;

export interface Delivered {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** The answer is sent once this is settled. */
  after?: Promise<void>;
}

/** A destination in this process: it stores what it receives. Each path gives its listed replies in turn, then repeats the last. */
export interface Destination {
  baseUrl: string;
  deliveries: Delivered[];
  on(path: string): Delivered[];
  answer(path: string, ...answers: Answer[]): void;
  close(): Promise<void>;
}

export async function startDestination(): Promise<Destination> {
  const deliveries: Delivered[] = [];
  const scripts = new Map<string, Answer[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const { method = '', headers } = request;
      deliveries.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') });
      const script = scripts.get(path) ?? [{ status: 200 }];
      const answer = (script.length > 1 ? script.shift() : script[0]) ?? { status: 200 };
      const reply = (): unknown => response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? '');
      if (answer.after === undefined) reply();
      else void answer.after.then(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    deliveries,
    on: (path) => deliveries.filter((delivery) => delivery.path === path),
    answer: (path, ...answers) => void scripts.set(path, answers),
    close: closesWithFile(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

export const messageIn = (reply: CallResult): Message => dataOf(reply, messageSchema);

/** Publishes a message and returns the reply's data. */
export async function publish(
  service: TestService,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Published> {
  return dataOf(await service.post('/api/v2/messages/publish', body, headers), publishedSchema);
}

export async function read(service: TestService, messageId: string): Promise<Message> {
  return messageIn(await service.get(`/api/v2/messages/${messageId}`));
}

export async function statusOf(service: TestService, messageId: string): Promise<Message['status']> {
  return (await read(service, messageId)).status;
}
