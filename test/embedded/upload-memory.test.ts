import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { DIRECT_FILE_BYTES_MAX } from '../../domain/files/files.ts';
import { createTestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';
import { HAS_GO, startVersitygw, VERSITYGW_BUILD_TIMEOUT_MS } from '../harness/versitygw.ts';

const GROWTH_BYTES_MAX = 96 * 1_048_576;
const PIECE = Buffer.alloc(1_048_576, 'x');
/** Each API that this file starts is on one database, which is used with one key. */
const MASTER_KEYS = `1:${randomBytes(32).toString('base64')}`;

interface RunningApi {
  program: Program;
  baseUrl: string;
}

const running: Program[] = [];
const database = await createTestDatabase();
const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
  createApiKey(tx, { name: 'test', preset: 'full_access' }),
);
afterAll(async () => {
  for (const program of running) await program.end('SIGKILL');
});

/** The API in a process of its own, with such a store of files. */
async function startApi(files: Record<string, string>): Promise<RunningApi> {
  const program = new Program(['embedded/run.mjs', 'server.js'], {
    DATABASE_URL: database.applicationUrl,
    TEMPORAL_ADDRESS: inject('stack').temporalAddress,
    MASTER_KEYS,
    PORT: '0',
    HOST: '127.0.0.1',
    HTTP_REQUEST_TIMEOUT_SECONDS: '600',
    MALLOC_ARENA_MAX: '2',
    ...files,
  });
  running.push(program);
  await program.printed('the API listens');
  return { program, baseUrl: `http://127.0.0.1:${/"port":(\d+)/.exec(program.output)?.[1]}` };
}

/** `VmRSS`: what it holds now; `VmHWM`: the most that it ever held. */
function memoryBytes({ program }: RunningApi, of: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${program.process.pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${of}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
  return Number(kilobytes) * 1024;
}

function upload({ baseUrl }: RunningApi, bytes: number): Promise<{ status: number; text: string }> {
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

async function download({ baseUrl }: RunningApi, fileId: string): Promise<number> {
  const reply = await fetch(`${baseUrl}/api/v2/files/${fileId}/download`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  let size = 0;
  for await (const chunk of reply.body as AsyncIterable<Uint8Array>) size += chunk.byteLength;
  return size;
}

/** In bytes, over an upload and a download of 100 MiB. What the first request loads is no part of it. */
async function growthOf(api: RunningApi): Promise<number> {
  expect((await upload(api, 100_000)).status).toBe(201);
  const before = memoryBytes(api, 'VmRSS');
  const stored = await upload(api, DIRECT_FILE_BYTES_MAX);
  expect(stored.status, stored.text).toBe(201);
  const { data } = JSON.parse(stored.text) as { data: { id: string; size: number } };
  expect(data.size).toBe(DIRECT_FILE_BYTES_MAX);
  const up = memoryBytes(api, 'VmHWM') - before;
  expect(await download(api, data.id)).toBe(DIRECT_FILE_BYTES_MAX);
  const both = memoryBytes(api, 'VmHWM') - before;
  console.info(`growth in MiB: ${Math.round(up / 1_048_576)} up, ${Math.round(both / 1_048_576)} with the download`);
  expect((await upload(api, DIRECT_FILE_BYTES_MAX + 1)).status).toBe(413);
  return both;
}

const IS_LINUX = process.platform === 'linux';

describe('100 MiB go up and down with little memory (needs /proc of Linux); one byte more is refused', () => {
  test.skipIf(!IS_LINUX)('with a folder', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'upload-memory-'));
    try {
      expect(await growthOf(await startApi({ FILES_DIR: folder }))).toBeLessThan(GROWTH_BYTES_MAX);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test.skipIf(!IS_LINUX || !HAS_GO)(
    'with a real S3 server (versitygw; it needs Go to be built)',
    async () => {
      const s3 = await startVersitygw();
      const { endpoint, region, bucket, accessKeyId, secretAccessKey } = s3.settings;
      try {
        const api = await startApi({
          FILES: 's3',
          S3_ENDPOINT: endpoint,
          S3_REGION: region,
          S3_BUCKET: bucket,
          S3_ACCESS_KEY_ID: accessKeyId,
          S3_SECRET_ACCESS_KEY: secretAccessKey,
          S3_PATH_STYLE: 'on',
        });
        expect(await growthOf(api)).toBeLessThan(GROWTH_BYTES_MAX);
      } finally {
        await s3.stop();
      }
    },
    VERSITYGW_BUILD_TIMEOUT_MS,
  );
});
