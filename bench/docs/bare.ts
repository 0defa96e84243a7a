import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The same pages from a bare server in a process of its own: `[baseUrl, ...paths]` are read once and answered from memory. What the readers
 * of it change for the callers of the API is the work of the readers, not of the service.
 */
const [baseUrl = '', ...paths] = process.argv.slice(2);
const bodies = new Map<string, Buffer>();
for (const path of paths) {
  const response = await fetch(`${baseUrl}${path}`, { headers: { 'accept-encoding': 'br' } });
  bodies.set(path, Buffer.from(await response.arrayBuffer()));
}
const server = createServer((request, response) => response.end(bodies.get(request.url ?? '')));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
