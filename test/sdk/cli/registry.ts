import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { PackedPackage } from '../packages.ts';

/** A registry of npm that has these packages and no other. */
export async function startRegistry(
  packages: readonly PackedPackage[],
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(1);
    const tarball = packages.find(({ tarball }) => path.basename(tarball) === asked);
    const named = packages.find(({ name }) => name === asked);
    if (tarball !== undefined) return void response.end(readFileSync(tarball.tarball));
    response.statusCode = named === undefined ? 404 : 200;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(named === undefined ? { error: 'not found' } : packumentOf(named, url)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function packumentOf({ name, version, integrity, tarball, manifest }: PackedPackage, url: string): object {
  const dist = { tarball: `${url}/${path.basename(tarball)}`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, name, version, dist } } };
}
