import { createServer } from 'node:http';
import { announceReady } from '../invoke/child.ts';

/** What the victim and the crowd call: `/hang` never answers, everything else does at once. */
const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/hang') return;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"state":"done"}');
});
server.requestTimeout = 0;

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  announceReady({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
