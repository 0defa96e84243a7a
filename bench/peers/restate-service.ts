import { createServer } from 'node:http2';
import { announceReady } from '../invoke/child.ts';
import { type Input, Job, type Outcome, type PeerTask } from './job.ts';
import { loadRestate, type RestateContext } from './libraries.ts';

/**
 * Restate, as its guide has it: its server is the HTTP front, takes the Idempotency-Key and calls this endpoint; each
 * step is a `ctx.run`, and those that touch the database are idempotent by key. Fenced: one step.
 */
const task = JSON.parse(process.argv[2] ?? '') as PeerTask;
const job = await Job.open(task);
const { createEndpointHandler, service, TerminalError } = await loadRestate();

type Run = (ctx: RestateContext, key: string, input: Input) => Promise<Outcome>;

const native: Run = async (ctx, key, input) => {
  await ctx.run('reserve', () => job.reserveOnce(key));
  const answer = await ctx.run('call', () => job.call(key, input));
  await ctx.run('record', () => job.record(key, input, answer));
  return { status: 'succeeded', answer };
};
const fenced: Run = (ctx, key, input) => ctx.run('call', () => job.fencedCall(key, input));

/** The ingress keeps the Idempotency-Key for itself, so the body names the key too. */
const handlerOf =
  (run: Run) =>
  (ctx: RestateContext, { key, ...input }: Record<string, unknown>): Promise<Outcome> => {
    if (!job.isInput(input) || typeof key !== 'string') throw new TerminalError('input', { errorCode: 400 });
    return run(ctx, key, input);
  };

const jobs = service({ name: 'job', handlers: { native: handlerOf(native), fenced: handlerOf(fenced) } });
const server = createServer(createEndpointHandler({ services: [jobs], logger: () => undefined }));
server.listen(task.port, '127.0.0.1', () => announceReady({ port: task.port }));
