import { randomUUID } from 'node:crypto';
import { DemoError, type Answer, type Call } from './http.ts';
import type { Journal } from './journal.ts';

const REMEMBERED_MAX = 1_000;

export interface Echo {
  key: string;
  id: string;
  state: 'done';
  received: unknown;
}

/** `POST /echoes` records what it is sent, once for each Idempotency-Key; `GET /echoes/{key}` reads it back. */
export function echoRoutes(journal: Journal<Echo>, credential: string): (call: Call) => Answer | null {
  const last = journal.read().slice(-REMEMBERED_MAX);
  journal.rewrite(last);
  const echoes = new Map(last.map((echo) => [echo.key, echo]));

  const record = (key: string, received: unknown): Echo => {
    const known = echoes.get(key);
    if (known !== undefined) return known;
    const echo: Echo = { key, id: randomUUID(), state: 'done', received };
    journal.append(echo);
    echoes.set(key, echo);
    return echo;
  };

  return ({ method, path, headers, body }) => {
    if (path !== '/echoes' && !path.startsWith('/echoes/')) return null;
    if (headers['x-demo-credential'] !== credential) throw new DemoError(401, 'unauthorized', 'Wrong credential.');
    if (method === 'POST' && path === '/echoes') {
      const key = headers['idempotency-key'];
      return { status: 200, body: record(typeof key === 'string' ? key : randomUUID(), body) };
    }
    const echo = method === 'GET' ? echoes.get(decodeURIComponent(path.slice('/echoes/'.length))) : undefined;
    if (echo === undefined) throw new DemoError(404, 'not_found', 'There is no such echo.');
    return { status: 200, body: echo };
  };
}
