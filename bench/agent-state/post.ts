import { Agent, request } from 'node:http';

/** Calls the service as an agent does, over kept-alive connections. Throws unless the reply is a 2xx: a benchmark counts no failures. */
export type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>;

export function callerOf(port: number, key: string): Call {
  const agent = new Agent({ keepAlive: true });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
      };
      const call = request({ host: '127.0.0.1', port, method, path, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve((JSON.parse(text) as { data: unknown }).data);
          else reject(new Error(`${method} ${path} answered ${status}: ${text}`));
        });
      });
      call.once('error', reject);
      call.end(sent);
    });
}
