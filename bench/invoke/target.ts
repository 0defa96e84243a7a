import { createServer } from 'node:http';
import { announceReady } from './child.ts';

/** The server that both sides call. It answers at once and counts its calls; `GET /count` returns the count. */
let count = 0;

const server = createServer((request, response) => {
  const reply = (body: unknown): void => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };
  if (request.method === 'GET' && request.url === '/count') return reply({ count });
  request.resume().once('end', () => {
    count += 1;
    reply({ id: `order-${count}`, state: 'done' });
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  announceReady({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
