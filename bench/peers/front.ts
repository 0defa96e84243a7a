import { createServer } from 'node:http';
import { announceReady } from '../invoke/child.ts';
import type { Form, Input, Job, Outcome } from './job.ts';

export type RunJob = (key: string, input: Input) => Promise<Outcome>;

/** The HTTP front of the peers that bring none: `POST /native` and `POST /fenced` with an Idempotency-Key. */
export function serveJobs(port: number, job: Job, forms: Record<Form, RunJob>): void {
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const key = request.headers['idempotency-key'];
    const run = request.url === '/native' ? forms.native : forms.fenced;
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.once('end', () => {
      const input: unknown = JSON.parse(text);
      if (!job.isInput(input) || typeof key !== 'string') return reply(400, { error: 'input' });
      run(key, input).then(
        (outcome) => reply(200, outcome),
        (error: unknown) => reply(500, { error: String(error) }),
      );
    });
  });
  server.listen(port, '127.0.0.1', () => announceReady({ port }));
}
