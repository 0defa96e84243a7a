import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHECKS } from '../../../embedded/doctor/checks.ts';
import { type Result, runChecks } from '../../../embedded/doctor/run-checks.ts';
import type { ServerFacts } from '../../../embedded/doctor/server-facts.ts';
import { readSettings } from '../../../embedded/doctor/settings.ts';
import { Subject } from '../../../embedded/doctor/subject.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';

type Environment = Record<string, string>;

const filesFolder = (): string => path.join(tmpdir(), `doctor-${randomUUID()}`);

/** The check of this name and what it needs. */
function withNeeds(name: string): typeof CHECKS {
  const wanted = new Set([name]);
  for (const check of CHECKS.toReversed()) if (wanted.has(check.name)) check.needs?.forEach((one) => wanted.add(one));
  return CHECKS.filter((check) => wanted.has(check.name));
}

/** Runs one check, and those that it needs, in an environment. */
export async function examine(name: string, environment: Environment): Promise<Result> {
  const subject = new Subject(readSettings(environment, filesFolder()));
  try {
    const results = await runChecks(withNeeds(name), subject);
    const result = results.find((one) => one.name === name);
    if (result === undefined) throw new Error(`there is no check ${name}`);
    return result;
  } finally {
    await subject.close();
  }
}

/** Runs every check, as the command does. */
export async function examineAll(environment: Environment): Promise<Result[]> {
  const subject = new Subject(readSettings(environment, filesFolder()));
  try {
    return await runChecks(CHECKS, subject);
  } finally {
    await subject.close();
  }
}

/** Runs one check alone over what it is told in place of PostgreSQL. */
export async function told(
  name: string,
  facts: Partial<ServerFacts> & { figure?: number },
  environment: Environment = {},
): Promise<Result> {
  const check = CHECKS.find((one) => one.name === name);
  if (check === undefined) throw new Error(`there is no check ${name}`);
  const settings = readSettings({ DATABASE_URL: 'postgresql://nobody@127.0.0.1/none', ...environment }, filesFolder());
  const subject = new Subject(settings);
  const figures = { get: () => new Map([['', facts.figure ?? 0]]) };
  Object.assign(subject, { server: () => Promise.resolve(facts), work: () => Promise.resolve(figures) });
  const { needs: _, ...alone } = check;
  const [result] = await runChecks([alone], subject);
  if (result === undefined) throw new Error('nothing was run');
  return result;
}

/** A server that answers every request alike. */
export async function answering(status: number, body: string): Promise<string> {
  const server: Server = createServer((_, reply) => reply.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closesWithFile(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TYPE_BYTES = 1;
const KEY_DATA = 'K';
const NOTIFICATION = 'A';

/** What a pooler in transaction mode does: it announces a process of its own, and hands on no notification. Returns the URL through it. */
export async function pooled(databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl);
  const server = createTcpServer((client) => {
    const backend = connect(Number(port), hostname);
    let held = Buffer.alloc(0);
    client.pipe(backend);
    backend.on('data', (chunk) => {
      held = Buffer.concat([held, chunk]);
      for (;;) {
        const length = held.length < 5 ? Infinity : held.readUInt32BE(TYPE_BYTES) + TYPE_BYTES;
        if (held.length < length) return;
        const message = Buffer.from(held.subarray(0, length));
        held = held.subarray(length);
        const type = String.fromCharCode(message[0] ?? 0);
        if (type === KEY_DATA) message.writeUInt32BE(1, 5);
        if (type !== NOTIFICATION) client.write(message);
      }
    });
    client.on('error', () => backend.destroy());
    backend.on('error', () => client.destroy());
    backend.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closesWithFile(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
}
