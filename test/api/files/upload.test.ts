import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bytes } from '../../../domain/files/file-store.ts';
import { DIRECT_FILE_BYTES_MAX } from '../../../domain/files/files.ts';
import { newId } from '../../../domain/ids.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { fileIn, invoice, multipart, type Part, sha256Of, upload } from './support.ts';

const api = await startTestApi();
const folder = api.filesFolder;
const { key } = await api.createKey(api.database.tenant);

const send = (parts: readonly Part[]): Promise<CallResult> =>
  api.call('POST', '/api/v2/files', { key, ...multipart(parts) });
const download = (fileId: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.baseUrl}/api/v2/files/${fileId}/download`, { headers: { Authorization: `Bearer ${key}`, ...headers } });

/** Every row and every file of the store. What was refused adds to neither. */
async function everything(): Promise<{ rows: unknown[]; stored: string[] }> {
  const rows = await api.database.asOwner('SELECT id, status, size FROM files ORDER BY id');
  const stored = (await readdir(folder, { recursive: true })).filter((name) => name.split(path.sep).length > 2);
  return { rows, stored: stored.sort() };
}

async function leavesNothing<T>(work: () => Promise<T>): Promise<T> {
  const before = await everything();
  const done = await work();
  expect(await everything()).toEqual(before);
  return done;
}

/** Sends a body in pieces, without a Content-Length, with a pause that the test decides on. */
function sendChunked(
  pieces: readonly Uint8Array[],
  headers: Record<string, string>,
  between: (index: number) => Promise<void> = () => Promise.resolve(),
): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${api.baseUrl}/api/v2/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Transfer-Encoding': 'chunked', ...headers },
    });
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        request.end();
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: new Headers(), text, json: JSON.parse(text) as unknown });
      });
    });
    request.on('error', (error) => (isAnswered ? undefined : reject(error)));
    const writeAll = async (): Promise<void> => {
      for (const [index, piece] of pieces.entries()) {
        if (isAnswered) return;
        await between(index);
        await new Promise<void>((written) => request.write(piece, () => written()));
      }
      request.end();
    };
    writeAll().catch(reject);
  });
}

describe('an upload', () => {
  test('is stored whole, with its hash, and what was said of it', async () => {
    const content = randomBytes(300_000);
    const reply = await send([
      { name: 'purpose', content: 'billing' },
      invoice(content),
      { name: 'metadata', content: '{"order":7}' },
    ]);
    expect(reply.status).toBe(201);
    const file = fileIn(reply);
    expect(file).toMatchObject({
      filename: 'invoice.pdf',
      contentType: 'application/pdf',
      size: 300_000,
      sha256: sha256Of(content),
      status: 'ready',
      purpose: 'billing',
      metadata: { order: 7 },
      expiresAt: null,
    });
    expect(Buffer.from(await (await download(file.id)).arrayBuffer()).equals(content)).toBe(true);
  });

  test('may be empty, and its name any text without a path', async () => {
    const file = await upload(api, key, [{ ...invoice(''), filename: 'Rechnung für Zoë %2e;.pdf' }]);
    expect(file).toMatchObject({ filename: 'Rechnung für Zoë %2e;.pdf', size: 0, sha256: sha256Of('') });
    const reply = await download(file.id);
    expect(reply.headers.get('Content-Disposition')).toBe(
      `attachment; filename="Rechnung f_r Zo_ _2e;.pdf"; filename*=UTF-8''Rechnung%20f%C3%BCr%20Zo%C3%AB%20%252e%3B.pdf`,
    );
    expect(await reply.text()).toBe('');
  });

  test.each<[string, Part[], string]>([
    ['a path in its name', [{ ...invoice(), filename: '../../etc/passwd' }], 'body.file'],
    ['a Windows path in its name', [{ ...invoice(), filename: 'C:\\x' }], 'body.file'],
    ['dots for a name', [{ ...invoice(), filename: '..' }], 'body.file'],
    ['no file', [{ name: 'purpose', content: 'billing' }], 'body.file'],
    ['a second file', [invoice(), invoice()], 'body.file'],
    ['an unknown field', [invoice(), { name: 'colour', content: 'red' }], 'body.colour'],
    ['a field twice', [{ name: 'purpose', content: 'a' }, invoice(), { name: 'purpose', content: 'b' }], 'body'],
    ['metadata that is no JSON', [invoice(), { name: 'metadata', content: '{' }], 'body.metadata'],
    ['metadata with a NUL', [invoice(), { name: 'metadata', content: '{"a":"\\u0000"}' }], 'body.metadata.a'],
    ['metadata with a key twice', [invoice(), { name: 'metadata', content: '{"a":1,"a":2}' }], 'body.metadata.a'],
    ['a purpose with a NUL', [invoice(), { name: 'purpose', content: 'in\0voice' }], 'body.purpose'],
    ['metadata that is no object', [invoice(), { name: 'metadata', content: '[1]' }], 'body.metadata'],
    ['metadata of 17 KiB', [invoice(), { name: 'metadata', content: `"${'x'.repeat(17_000)}"` }], 'body.metadata'],
    ['a purpose of 65 characters', [invoice(), { name: 'purpose', content: 'x'.repeat(65) }], 'body.purpose'],
  ])('with %s is refused with 400, and leaves nothing', async (_what, parts, at) => {
    const reply = await leavesNothing(() => send(parts));
    expect(reply.status).toBe(400);
    expect(errorOf(reply).details?.['issues']).toEqual([
      expect.objectContaining({ path: expect.stringContaining(at) }),
    ]);
  });

  test('with a text in place of the file is refused, and told how a file is sent', async () => {
    const reply = await leavesNothing(() => send([{ name: 'file', content: 'hello' }]));
    expect(reply.status).toBe(400);
    expect(errorOf(reply).details?.['issues']).toEqual([
      { path: 'body.file', message: 'must be a file: its part has a filename (curl: -F file=@invoice.pdf)' },
    ]);
  });

  test.each<[string, (body: Buffer) => Buffer]>([
    ['ends in the middle of the file', (body) => body.subarray(0, body.length - 50)],
    ['is no multipart at all', () => Buffer.from('{"file":"x"}')],
    ['is empty', () => Buffer.alloc(0)],
  ])('whose body %s is refused with 400, and leaves nothing', async (_what, change) => {
    const { raw, headers } = multipart([invoice('x'.repeat(1_000))]);
    const reply = await leavesNothing(() => api.call('POST', '/api/v2/files', { key, raw: change(raw), headers }));
    expect(reply.status).toBe(400);
  });

  test('of another media type, or compressed, is a 415', async () => {
    for (const headers of [
      { 'Content-Type': 'application/json' },
      { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Encoding': 'gzip' },
    ]) {
      const reply = await leavesNothing(() => api.call('POST', '/api/v2/files', { key, raw: '{}', headers }));
      expect(reply.status).toBe(415);
    }
    const bare = await api.call('POST', '/api/v2/files', {
      key,
      raw: '{}',
      headers: { 'Content-Type': 'multipart/form-data' },
    });
    expect(bare.status).toBe(400);
  });

  test('that says it is too large is refused before it is sent', async () => {
    const reply = await leavesNothing(
      () =>
        new Promise<number>((resolve, reject) => {
          const request = httpRequest(`${api.baseUrl}/api/v2/files`, {
            method: 'POST',
            headers: {
              Authorization: `Bearer ${key}`,
              'Content-Type': 'multipart/form-data; boundary=x',
              'Content-Length': DIRECT_FILE_BYTES_MAX + 65_537,
            },
          });
          request.on('response', (response) => {
            resolve(response.statusCode ?? 0);
            request.destroy();
          });
          request.on('error', reject); // after the answer it changes nothing
          request.flushHeaders(); // and not one byte of the body
        }),
    );
    expect(reply).toBe(413);
  });

  test('without a length is refused once it passes 100 MiB, and what was stored goes', async () => {
    const { raw, headers } = multipart([invoice('')]);
    const at = raw.indexOf('\r\n\r\n') + 4;
    const mebibyte = Buffer.alloc(1_048_576);
    const pieces = [raw.subarray(0, at), ...Array.from({ length: 102 }, () => mebibyte), raw.subarray(at)];
    const reply = await leavesNothing(() => sendChunked(pieces, headers));
    expect([reply.status, errorOf(reply).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('whose key is revoked in the middle is a 401, and leaves nothing', async () => {
    const { key: own, record } = await api.createKey(api.database.tenant);
    const { raw, headers } = multipart([invoice(randomBytes(200_000))]);
    const pieces = [raw.subarray(0, 150_000), raw.subarray(150_000)];
    const pending = `SELECT 1 FROM files WHERE status = 'pending'`;
    const revoke = async (index: number): Promise<void> => {
      if (index === 0) return;
      await expect.poll(async () => (await api.database.asOwner(pending)).length, { interval: 10 }).toBe(1);
      await api.database.asOwner('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [record.id]);
    };
    const reply = await leavesNothing(() =>
      sendChunked(pieces, { ...headers, Authorization: `Bearer ${own}` }, revoke),
    );
    expect([reply.status, errorOf(reply).code]).toEqual([401, 'AUTHENTICATION_ERROR']);
  });

  test('of a client that leaves in the middle leaves nothing', async () => {
    const { raw, headers } = multipart([invoice(randomBytes(200_000))]);
    const before = await everything();
    const request = httpRequest(`${api.baseUrl}/api/v2/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Length': raw.length, ...headers },
    });
    request.on('error', () => undefined);
    request.write(raw.subarray(0, 150_000));
    const pending = `SELECT 1 FROM files WHERE status = 'pending'`;
    await expect.poll(async () => (await api.database.asOwner(pending)).length, { interval: 10 }).toBe(1);
    request.destroy();
    await expect.poll(everything, { interval: 20 }).toEqual(before);
  });

  test('that the store cannot take leaves no row', async () => {
    const { put } = api.deps.files;
    api.deps.files.put = () => Promise.reject(new Error('the disk is full'));
    try {
      expect((await leavesNothing(() => send([invoice()]))).status).toBe(500);
    } finally {
      api.deps.files.put = put;
    }
  });

  test('beyond the eight of a workspace is refused with 503', async () => {
    const held = Array.from({ length: 8 }, () => api.deps.uploads.open(api.database.tenant.workspaceId));
    const reply = await leavesNothing(() => send([invoice()]));
    for (const upload of held) upload.leave();
    expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect((await send([invoice()])).status).toBe(201);
  });
});

describe('the storage of the plan counts the bytes of a file, not those of its form', () => {
  const LEFT = 300_000;
  /** A key of a workspace whose storage is full but for LEFT bytes. */
  async function almostFull(): Promise<string> {
    const { development: tenant } = await api.database.anotherWorkspace();
    await api.database.asOwner(`UPDATE workspaces SET plan = 'free' WHERE id = $1`, [tenant.workspaceId]);
    await api.database.asOwner(
      `INSERT INTO files (id, environment_id, upload, status, filename, content_type, size, sha256, created_by, confirmed_at, expires_at)
       VALUES ($1, $2, 'direct', 'ready', 'a.txt', 'text/plain', $3, repeat('a', 64), '{}', now(), now())`,
      [newId('file'), tenant.environmentId, (PLAN_TABLE.free.storageBytes ?? 0) - LEFT],
    );
    return (await api.createKey(tenant)).key;
  }
  const formOf = (size: number) =>
    multipart([invoice(randomBytes(size)), { name: 'purpose', content: 'x'.repeat(64) }]);
  const whole = (own: string, size: number): Promise<CallResult> =>
    api.call('POST', '/api/v2/files', { key: own, ...formOf(size) });
  const chunked = (own: string, size: number, between?: (index: number) => Promise<void>): Promise<CallResult> => {
    const { raw, headers } = formOf(size);
    const pieces = [raw.subarray(0, 100_000), raw.subarray(100_000)];
    return sendChunked(pieces, { ...headers, Authorization: `Bearer ${own}` }, between);
  };
  const outcomeOf = (reply: CallResult): string => (reply.status === 201 ? 'stored' : errorOf(reply).code);

  test.each([
    ['whose length is announced', whole],
    ['without a length', chunked],
  ])('%s: one that just fits is taken, and one byte more leaves nothing', async (_how, sendTo) => {
    const own = await almostFull();
    expect(outcomeOf(await leavesNothing(() => sendTo(own, LEFT + 1)))).toBe('QUOTA_EXCEEDED');
    expect(outcomeOf(await sendTo(own, LEFT))).toBe('stored');
    expect(outcomeOf(await leavesNothing(() => sendTo(own, 1)))).toBe('QUOTA_EXCEEDED');
  });

  test('one that is too large is refused while it is sent', async () => {
    const own = await almostFull();
    const { put } = api.deps.files;
    let passed = 0;
    api.deps.files.put = async (file, place, bytes) => {
      async function* counted(): Bytes {
        for await (const chunk of bytes) {
          passed += chunk.byteLength;
          yield chunk;
        }
      }
      return put.call(api.deps.files, file, place, counted());
    };
    try {
      expect(outcomeOf(await leavesNothing(() => chunked(own, 5_000_000)))).toBe('QUOTA_EXCEEDED');
    } finally {
      api.deps.files.put = put;
    }
    expect(passed).toBeLessThanOrEqual(LEFT);
  });

  test('of two at once that fit one by one and not together, one is stored', async () => {
    const own = await almostFull();
    let release = (): void => undefined;
    const bothHaveBegun = new Promise<void>((resolve) => (release = resolve));
    const between = (index: number): Promise<void> => (index === 0 ? Promise.resolve() : bothHaveBegun);
    const sent = Promise.allSettled([chunked(own, 200_000, between), chunked(own, 200_000, between)]);
    const pending = `SELECT 1 FROM files WHERE status = 'pending'`;
    try {
      await expect.poll(async () => (await api.database.asOwner(pending)).length, { interval: 10 }).toBe(2);
    } finally {
      release();
    }
    const outcomes = (await sent).map((one) => (one.status === 'fulfilled' ? outcomeOf(one.value) : 'no reply'));
    expect(outcomes.sort()).toEqual(['QUOTA_EXCEEDED', 'stored']);
  });
});

describe('a download', () => {
  const CONTENT = '0123456789';
  const read = async (headers: Record<string, string>): Promise<[number, string | null, string]> => {
    const reply = await download((await upload(api, key, [invoice(CONTENT)])).id, headers);
    return [reply.status, reply.headers.get('Content-Range'), reply.status === 416 ? '' : await reply.text()];
  };

  test('is an attachment of its own type that nobody sniffs', async () => {
    const file = await upload(api, key, [invoice(CONTENT)]);
    const reply = await download(file.id);
    const sent = (name: string): string | null => reply.headers.get(name);
    expect([sent('Content-Type'), sent('X-Content-Type-Options'), sent('ETag'), sent('Accept-Ranges')]).toEqual([
      'application/pdf',
      'nosniff',
      `"${sha256Of(CONTENT)}"`,
      'bytes',
    ]);
    expect([sent('Content-Disposition'), sent('Content-Length')]).toEqual([
      `attachment; filename="invoice.pdf"; filename*=UTF-8''invoice.pdf`,
      '10',
    ]);
    expect(await reply.text()).toBe(CONTENT);
    const head = await fetch(`${api.baseUrl}/api/v2/files/${file.id}/download`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${key}` },
    });
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '10']);
  });

  test.each<[string, number, string | null, string]>([
    ['bytes=0-3', 206, 'bytes 0-3/10', '0123'],
    ['bytes=7-', 206, 'bytes 7-9/10', '789'],
    ['bytes=-2', 206, 'bytes 8-9/10', '89'],
    ['bytes=-99', 206, 'bytes 0-9/10', CONTENT],
    ['bytes=4-99', 206, 'bytes 4-9/10', '456789'],
    ['bytes=10-', 416, 'bytes */10', ''],
    ['bytes=-0', 416, 'bytes */10', ''],
    ['bytes=5-2', 200, null, CONTENT],
    ['bytes=0-1,4-5', 200, null, CONTENT],
    ['lines=1-2', 200, null, CONTENT],
  ])('of the range %s answers %d', async (range, ...expected) => {
    expect(await read({ Range: range })).toEqual(expected);
  });

  test('of a part answers the whole where If-Range names another file', async () => {
    const ranged = (etag: string) => read({ Range: 'bytes=0-3', 'If-Range': etag });
    expect(await ranged(`"${sha256Of(CONTENT)}"`)).toEqual([206, 'bytes 0-3/10', '0123']);
    expect(await ranged('"another"')).toEqual([200, null, CONTENT]);
  });
});

test('a deleted file is gone at once, with its bytes and its storage', async () => {
  const { workspaceId } = api.database.tenant;
  const read = 'SELECT bytes FROM storage_used WHERE workspace_id = $1';
  const used = async (): Promise<unknown> => (await api.database.asOwner(read, [workspaceId]))[0];
  await upload(api, key);
  const before = await used();
  await leavesNothing(async () => {
    const file = await upload(api, key, [invoice(randomBytes(5_000))]);
    expect(await used()).not.toEqual(before);
    expect((await api.call('DELETE', `/api/v2/files/${file.id}`, { key })).status).toBe(200);
    for (const at of ['', '/download'])
      expect((await api.call('GET', `/api/v2/files/${file.id}${at}`, { key })).status).toBe(404);
    expect((await api.call('DELETE', `/api/v2/files/${file.id}`, { key })).status).toBe(404);
  });
  expect(await used()).toEqual(before);
});
