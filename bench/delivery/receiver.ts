import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';

/** The destination of all sides. */
export interface Receiver {
  url: string;
  /** Resolves when the message with this number in its body arrives, with `performance.now()`. Call it before the message is published. */
  arrivalOf(number: string): Promise<number>;
  /** Rejects once a request is not one that was expected: a benchmark counts no failures. */
  failed: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Answers 200 at once, in the process of the bench, whose clock also timed the publication. Each request must carry a v1 signature of the secret
 * and the number of a message that is awaited.
 */
export async function startReceiver(secret: string): Promise<Receiver> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const awaited = new Map<string, (arrivedAtMs: number) => void>();
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined); // whoever waits for an arrival sees it
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.once('end', () => {
      const { headers } = request;
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      const isSigned = String(headers['webhook-signature'])
        .split(' ')
        .includes(`v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`);
      const { number } = JSON.parse(body) as { number: string };
      const arrive = awaited.get(number);
      if (!isSigned || arrive === undefined) {
        fail(
          new Error(
            isSigned ? `message ${number} came twice, or never was published` : `message ${number} is not signed`,
          ),
        );
        response.writeHead(500).end();
        return;
      }
      awaited.delete(number);
      arrive(performance.now());
      response.writeHead(200, { 'content-length': 2 }).end('ok');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    arrivalOf: (number) =>
      new Promise((resolve) => {
        awaited.set(number, resolve);
      }),
    failed,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}
