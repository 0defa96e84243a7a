import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DataFolder } from '../../embedded/data-folder.ts';
import { ensureDemo } from '../../embedded/demo.ts';

it('the demo is made once in each workspace, and anew where its target moved', async () => {
  const made: string[] = [];
  const api = createServer((request, response) => {
    if (request.method === 'POST') made.push(request.headers.authorization ?? '');
    response.writeHead(request.method === 'GET' ? 404 : 200).end('{}');
    request.resume();
  });
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const place = mkdtempSync(path.join(tmpdir(), 'demo-'));
  const folder = await DataFolder.open(place);
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const actionsMade = async (workspaceId: string, targetPort: number): Promise<number> => {
    made.length = 0;
    await ensureDemo({ folder, baseUrl, apiKey: 'key', workspaceId, targetPort });
    return made.length;
  };
  expect(await actionsMade('one', 4_001)).toBe(2);
  expect(await actionsMade('one', 4_001)).toBe(0);
  expect(await actionsMade('another', 4_001)).toBe(2);
  expect(await actionsMade('another', 4_002)).toBe(2);
  folder.unlock();
  api.close();
  rmSync(place, { recursive: true, force: true });
});
