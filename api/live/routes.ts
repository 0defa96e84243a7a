import { Readable } from 'node:stream';
import { z } from 'zod';
import { readSessionEnd } from '../../db/auth/sessions.ts';
import { listWorkspacesOfUser } from '../../db/users/users.ts';
import { CONSOLE_TOPICS } from '../../domain/console-topics.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type AnyRoute, defineRoute, type UserCaller } from '../http/define-route.ts';
import { LiveStream, type Seen } from './live-stream.ts';

const topics = ['everything', ...Object.keys(CONSOLE_TOPICS)] as ['everything', ...(keyof typeof CONSOLE_TOPICS)[]];

const invalidationSchema = z
  .strictObject({
    topic: z.enum(topics).describe('What changed. `everything`: the service may have missed changes; read all again.'),
    environmentId: z.uuid().nullable().describe('Null for what belongs to the workspace as a whole.'),
    id: z.string().optional().describe('The record. Without it any record of the topic may have changed.'),
  })
  .meta({ id: 'ConsoleInvalidation' });

const streamRoute = defineRoute({
  of: 'user',
  id: 'console.stream',
  method: 'GET',
  path: '/api/v2/console/stream',
  summary: 'Be told what changed',
  description:
    'Server-sent events for the console: which records changed, in every environment of the workspaces of who is signed in, and nothing of ' +
    'what they hold. Read again what you show. A `message` has the data below; `ready` comes first, `heartbeat` every 25 seconds, and `end` ' +
    'with a `reason` (`session_ended`, `service_stops`) last. An API key gets 403. 429: the person has as many streams open at this process ' +
    'as they may. docs/console-stream.md says which changes are told.',
  response: { 200: z.null() },
  events: invalidationSchema,
  exempt: { conformance: 'Its reply is a stream without an end: test/api/live/stream.test.ts.' },
  ownsItsTransaction: 'It reads who may see what, now and when that may have changed, and holds no connection between.',
  audited: 'none: it changes nothing',
  async handler({ caller, deps, signal, incoming }) {
    const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };
    if (incoming.method === 'HEAD') return { status: 200, data: null, headers, stream: Readable.from([]) };
    const { invalidations: hub } = deps;
    const leave = hub.takePlace(caller.userId);
    if (typeof leave === 'string') throw noPlace(leave);
    const { userId, sessionId } = caller;
    const stream = new LiveStream({ hub, userId, sessionId, look: () => look(deps, caller), signal });
    const left = (): void => {
      hub.forget(stream);
      leave();
    };
    try {
      if (!(await stream.open())) throw new ServiceError('AUTHENTICATION_ERROR');
    } catch (error) {
      left();
      throw error;
    }
    const bytes = Readable.from(stream.events(), { objectMode: false });
    bytes.once('close', left); // also where the reader left before the first byte
    if (signal.aborted) bytes.destroy();
    return { status: 200, data: null, headers, stream: bytes };
  },
});

/** Returns what the person may see. Returns null when the session ended. */
function look({ db }: ApiDependencies, { userId, sessionId }: UserCaller): Promise<Seen | null> {
  return db.withUser(
    userId,
    async (tx) => {
      const endsInMs = await readSessionEnd(tx, sessionId);
      return endsInMs === null ? null : { endsInMs, workspaces: await listWorkspacesOfUser(tx, userId) };
    },
    { readOnly: true },
  );
}

function noPlace(of: 'person' | 'process'): ServiceError {
  if (of === 'process') return new ServiceError('SERVICE_UNAVAILABLE');
  return new ServiceError('RATE_LIMIT_EXCEEDED', {
    message: 'You have too many streams of the console open. Close one in another browser, or read without it.',
  });
}

export const liveRoutes: AnyRoute[] = [streamRoute];
