// A target whose accept queue holds one connection. It prints its port, each connection that it accepts and each request.
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';

const say = (line) => writeSync(1, `${line}\n`);
const server = createServer((request, response) => {
  say(`request ${request.url}`);
  request.resume().on('end', () => response.end('{}'));
});
server.on('connection', () => say('connection'));
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => say(`port ${server.address().port}`));
