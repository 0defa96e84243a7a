// Listens, prints its port, and never accepts a connection: once the backlog is full, the next connect gets no answer.
import { writeSync } from 'node:fs';
import { createServer } from 'node:net';

const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  writeSync(1, `${server.address().port}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
