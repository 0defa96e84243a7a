import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApiKey } from '../../db/api-keys/create-api-key.ts';
import { DIRECT_FILE_BYTES_MAX } from '../../domain/files/files.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';

const GROWTH_BYTES_MAX = 96 * 1_048_576;
const PIECE = Buffer.alloc(1_048_576, 'x');

let database: TestDatabase;
let api: Program;
let baseUrl: string;
let key: string;
const folder = mkdtempSync(path.join(tmpdir(), 'upload-memory-'));
beforeAll(async () => {
  database = await createTestDatabase();
  api = new Program(['embedded/run.mjs', 'server.js'], {
    DATABASE_URL: database.applicationUrl,
    TEMPORAL_ADDRESS: inject('stack').temporalAddress,
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    FILES_DIR: folder,
    PORT: '0',
    HOST: '127.0.0.1',
    HTTP_REQUEST_TIMEOUT_SECONDS: '600',
    MALLOC_ARENA_MAX: '2',
  });
  await api.printed('the API listens');
  baseUrl = `http://127.0.0.1:${/"port":(\d+)/.exec(api.output)?.[1]}`;
  const tenant = database.tenant;
  ({ key } = await database.db.withEnvironment(tenant, (tx) =>
    createApiKey(tx, { name: 'test', preset: 'full_access' }),
  ));
});
afterAll(async () => {
  await api?.end('SIGKILL');
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `VmRSS`: what it holds now; `VmHWM`: the most that it ever held. */
function memoryBytes(of: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${api.process.pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${of}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
  return Number(kilobytes) * 1024;
}

function upload(bytes: number): Promise<{ status: number; text: string }> {
  const head =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\nContent-Type: application/octet-stream\r\n\r\n';
  const tail = '\r\n--b--\r\n';
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${baseUrl}/api/v2/files`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': head.length + bytes + tail.length,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.write(head);
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
        left -= piece.length;
        if (!request.write(piece) && left > 0) return void request.once('drain', more);
      }
      request.end(tail);
    };
    more();
  });
}

async function download(fileId: string): Promise<number> {
  const reply = await fetch(`${baseUrl}/api/v2/files/${fileId}/download`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  let size = 0;
  for await (const chunk of reply.body as AsyncIterable<Uint8Array>) size += chunk.byteLength;
  return size;
}

test.skipIf(process.platform !== 'linux')(
  '100 MiB go up and down with little memory (needs /proc of Linux); one byte more is refused',
  async () => {
    expect((await upload(100_000)).status).toBe(201); // what the first request loads is no part of it
    const before = memoryBytes('VmRSS');
    const stored = await upload(DIRECT_FILE_BYTES_MAX);
    expect(stored.status, stored.text).toBe(201);
    const { data } = JSON.parse(stored.text) as { data: { id: string; size: number } };
    expect(data.size).toBe(DIRECT_FILE_BYTES_MAX);
    const up = memoryBytes('VmHWM') - before;
    expect(await download(data.id)).toBe(DIRECT_FILE_BYTES_MAX);
    const both = memoryBytes('VmHWM') - before;
    console.info(`growth in MiB: ${Math.round(up / 1_048_576)} up, ${Math.round(both / 1_048_576)} with the download`);
    expect(both).toBeLessThan(GROWTH_BYTES_MAX);
    expect((await upload(DIRECT_FILE_BYTES_MAX + 1)).status).toBe(413);
  },
);
