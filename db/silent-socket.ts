import { Socket } from 'node:net';

/** A socket that ends by itself where nothing comes for this long. */
export function socketThatEndsInSilence(silenceMaxMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silenceMaxMs, () => {
    const error = new Error(`the database said nothing for ${silenceMaxMs} ms`);
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
}
