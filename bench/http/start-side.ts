import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SideOptions } from './side.ts';

/** Starts a side in a process of its own; answers the port that it listens on, and its id. */
export async function startSide(options: SideOptions): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL('./side.js', import.meta.url)), [JSON.stringify(options)]);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`the side ${options.side} ended with ${code}`)));
  });
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
