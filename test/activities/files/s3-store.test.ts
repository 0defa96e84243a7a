import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createS3Store } from '../../../activities/adapters/files/s3-store.ts';
import type { Bytes, FileStore, PresignedUpload, StoredFile } from '../../../domain/files/file-store.ts';
import { newId } from '../../../domain/ids.ts';
import { startTestApi, type TestApi } from '../../api/harness/test-api.ts';
import { fileIn, invoice, presign, presignedIn, sha256Of, upload } from '../../api/files/support.ts';
import { HAS_GO, type RunningS3, startVersitygw, VERSITYGW_BUILD_TIMEOUT_MS } from '../../harness/versitygw.ts';

const aFile = (): StoredFile => ({ environmentId: randomUUID(), fileId: newId('file') });
async function* bytesOf(...pieces: (string | Uint8Array)[]): Bytes {
  for (const piece of pieces) yield Promise.resolve(Buffer.from(piece as string));
}
async function textOf(bytes: Bytes | null): Promise<string | null> {
  if (bytes === null) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe.skipIf(!HAS_GO)('a real S3 server (versitygw; it needs Go to be built)', () => {
  let s3: RunningS3;
  let store: FileStore;
  let api: TestApi;
  let key: string;
  beforeAll(async () => {
    s3 = await startVersitygw();
    store = createS3Store(s3.settings);
    api = await startTestApi({ files: store });
    ({ key } = await api.createKey(api.database.tenant));
  }, VERSITYGW_BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await api?.close();
    await s3?.stop();
  });

  const objectsOf = ({ environmentId, fileId }: StoredFile): string[] => {
    const folder = path.join(s3.folder, environmentId, fileId);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };
  const sign = (file: StoredFile, about: Partial<PresignedUpload> = {}) => {
    if (store.presign === null) throw new Error('S3 presigns');
    return store.presign(file, { contentType: 'text/plain', size: 5, sha256: null, expiresInSeconds: 600, ...about });
  };
  const send = ({ url, headers }: { url: string; headers: Record<string, string> }, body: string, over = {}) =>
    fetch(url, { method: 'PUT', body, headers: { ...headers, 'Content-Length': String(body.length), ...over } });

  test('keeps what is put, gives it back whole and in ranges, and removes it', async () => {
    const file = aFile();
    await store.put(file, 'content', bytesOf('01234', '56789'));
    expect(await textOf(await store.read(file))).toBe('0123456789');
    expect(await textOf(await store.read(file, { start: 2, end: 4 }))).toBe('234');
    await store.remove(file);
    expect(await store.read(file)).toBeNull();
    await store.remove(file); // again
    expect(objectsOf(file)).toEqual([]);
  });

  test('has nothing of what broke off', async () => {
    const file = aFile();
    async function* broken(): Bytes {
      yield Promise.resolve(Buffer.from('half'));
      throw new Error('the client left');
    }
    await expect(store.put(file, 'content', broken())).rejects.toThrow('the client left');
    expect(objectsOf(file)).toEqual([]);
  });

  test('takes from a presigned URL what was promised, and nothing else', async () => {
    const file = aFile();
    const target = await sign(file, { sha256: sha256Of('hello') });
    expect((await send(target, 'hello!')).status).toBeGreaterThanOrEqual(400); // another size
    expect((await send(target, 'HELLO')).status).toBeGreaterThanOrEqual(400); // another hash
    expect((await send(target, 'hello', { 'Content-Type': 'text/html' })).status).toBe(403); // another type
    expect(objectsOf(file)).toEqual([]);
    expect((await send(target, 'hello')).status).toBe(200);
    expect(objectsOf(file)).toEqual(['incoming']);
    const elsewhere = target.url.replace(file.fileId, newId('file'));
    expect((await send({ ...target, url: elsewhere }, 'hello')).status).toBe(403);
    expect(await store.promote(file)).toBe(5);
    expect(objectsOf(file)).toEqual(['content']);
    expect(await store.promote(file)).toBe(5); // another confirmation goes on from there
    // A late upload changes what is incoming, never the content.
    await send(target, 'hello');
    await store.removeIncoming(file);
    expect([objectsOf(file), await textOf(await store.read(file))]).toEqual([['content'], 'hello']);
    expect(await store.promote(aFile())).toBeNull();
  });

  test('is the store of an API: direct, presigned, confirmed, downloaded and deleted', async () => {
    const content = randomBytes(3_000_000);
    const direct = await upload(api, key, [invoice(content)]);
    expect(direct).toMatchObject({ size: content.length, sha256: sha256Of(content) });
    const read = (id: string, headers: Record<string, string> = {}) =>
      api.call('GET', `/api/v2/files/${id}/download`, { key, headers });
    const whole = await fetch(`${api.baseUrl}/api/v2/files/${direct.id}/download`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(sha256Of(Buffer.from(await whole.arrayBuffer()))).toBe(sha256Of(content));

    const promised = { filename: 'a.txt', contentType: 'text/plain', size: 10, sha256: sha256Of('an invoice') };
    const target = presignedIn(await presign(api, key, promised));
    expect((await send(target, 'an invoice')).status).toBe(200);
    const confirmed = fileIn(await api.call('POST', `/api/v2/files/${target.fileId}/confirm`, { key }));
    expect(confirmed).toMatchObject({ status: 'ready', sha256: promised.sha256 });
    const part = await read(target.fileId, { Range: 'bytes=3-' });
    expect([part.status, part.text]).toEqual([206, 'invoice']);

    await api.call('DELETE', `/api/v2/files/${target.fileId}`, { key });
    expect(objectsOf({ environmentId: api.database.tenant.environmentId, fileId: target.fileId })).toEqual([]);
    // 5 GiB may be promised here.
    const large = await presign(api, key, { ...promised, size: 5_368_709_120 });
    expect(large.status).toBe(201);
  });
});

describe('an S3 server that does not do as it should', () => {
  async function answering(listener: RequestListener, work: (store: FileStore) => Promise<void>): Promise<void> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const settings = {
      region: 'us-east-1',
      bucket: 'files',
      accessKeyId: 'id',
      secretAccessKey: 'hunter2',
      pathStyle: true,
    };
    try {
      await work(createS3Store({ endpoint: `http://127.0.0.1:${port}`, ...settings }));
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
  const refused = {
    code: 'SERVICE_UNAVAILABLE',
    cause: expect.objectContaining({ message: expect.stringContaining('S3: ') }),
  };

  test.each<[string, RequestListener]>([
    ['fails', (_request, response) => void response.writeHead(500).end('<Error><Code>InternalError</Code></Error>')],
    ['denies', (_request, response) => void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')],
    ['hangs up', (request) => void request.socket.destroy()],
  ])('and %s is a 503, whose cause names no secret', async (_what, listener) => {
    await answering(listener, async (store) => {
      const works = [
        () => store.put(aFile(), 'content', bytesOf('x')),
        () => store.read(aFile()),
        () => store.promote(aFile()),
        () => store.remove(aFile()),
      ];
      for (const work of works) {
        const error: unknown = await work().then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject(refused);
        expect(String((error as Error).cause)).not.toContain('hunter2');
      }
    });
  });

  test('a copy that fails in the body of a 200 is no promotion', async () => {
    const listener: RequestListener = (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(200, { 'Content-Length': 5, ETag: '"a"' }).end();
      response.writeHead(200).end('<Error><Code>SlowDown</Code></Error>');
    };
    await answering(listener, async (store) => {
      await expect(store.promote(aFile())).rejects.toMatchObject(refused);
    });
  });
});
