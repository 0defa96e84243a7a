import { request } from 'node:http';

const TIMEOUT_MS = 30_000;

export interface JsonReply {
  status: number;
  body: unknown;
}

/** One JSON call over plain HTTP. Not `fetch`, which would cost the process some megabytes permanently. */
export function callJson(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<JsonReply> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const headers = { ...options.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: options.method ?? 'GET', headers, agent: false, timeout: TIMEOUT_MS },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => {
          try {
            resolve({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
          } catch (error) {
            reject(new Error(`${url} answered ${response.statusCode} without JSON`, { cause: error }));
          }
        });
      },
    );
    call.once('timeout', () => call.destroy(new Error(`${url} did not answer within ${TIMEOUT_MS / 1000} s`)));
    call.once('error', reject);
    call.end(body);
  });
}
