import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { callJson } from '../../embedded/http-json.ts';
import { freePorts } from '../../embedded/ports.ts';
import { BenchChild } from '../invoke/child.ts';

const READY_TRIES = 150;
const LOOK_MS = 100;

export interface RestateServer {
  ingressUrl: string;
  pid: number;
  /** Tells the server of an endpoint. */
  register(port: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Restate's server with its own log on disk, which it syncs by default. It asks GitHub for its newest release all the
 * same, and gets no answer.
 */
export async function startRestateServer(binary: string, folder: string): Promise<RestateServer> {
  mkdirSync(folder, { recursive: true });
  const [ingress, admin, node] = await freePorts(3);
  const child = new BenchChild(binary, ['--no-logo'], {
    cwd: folder,
    env: {
      RESTATE_BASE_DIR: folder,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
      RESTATE_NODE_NAME: 'bench',
      RESTATE_CLUSTER_NAME: 'bench-peers',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_DISABLE_TELEMETRY: 'true',
      DO_NOT_TRACK: '1',
    },
  });
  const ended = child.printed(/^(?!)/); // rejects with the output when the server ends
  const until = (url: string, options?: Parameters<typeof callJson>[1]): Promise<void> =>
    Promise.race([untilAnswered(url, options), ended.then(() => undefined)]);
  await until(`http://127.0.0.1:${admin}/health`);
  await until(`http://127.0.0.1:${ingress}/restate/health`);
  ended.catch(() => undefined); // a later end is that of the bench, or its calls fail
  return {
    ingressUrl: `http://127.0.0.1:${ingress}`,
    pid: child.process.pid ?? -1,
    register: (port) =>
      until(`http://127.0.0.1:${admin}/deployments`, {
        method: 'POST',
        body: { uri: `http://127.0.0.1:${port}`, force: true },
      }),
    stop: () => child.stop(),
  };
}

async function untilAnswered(url: string, options?: Parameters<typeof callJson>[1]): Promise<void> {
  let last: unknown;
  for (let tries = 0; tries < READY_TRIES; tries++) {
    try {
      const reply = await callJson(url, options);
      if (reply.status >= 200 && reply.status < 300) return;
      last = new Error(`${url} answered ${JSON.stringify(reply)}`);
    } catch (error) {
      last = error; // not ready yet: it matters only if it persists
    }
    await delay(LOOK_MS);
  }
  throw last;
}
