import type { IncomingMessage } from 'node:http';
import type { FileStage, FileStore, StoredFile } from '../../../domain/files/file-store.ts';
import { PRESIGNED_FILE_BYTES_MAX } from '../../../domain/files/files.ts';
import { codeIn, S3Client, type S3Settings, textOf, unavailable } from './s3-client.ts';
import { spool } from './spool.ts';

/** A direct upload goes through a local file first, so that S3 is told size and hash: it stores all or nothing. */
export function createS3Store(settings: S3Settings): FileStore {
  const client = new S3Client(settings);
  const remove = async (file: StoredFile, stage: FileStage): Promise<void> => {
    await drained(client.send({ method: 'DELETE', key: keyOf(file, stage), expect: [200, 204, 404] }));
  };
  return {
    presignedBytesMax: PRESIGNED_FILE_BYTES_MAX,
    async presign(file, { contentType, size, sha256, expiresInSeconds }) {
      const headers = {
        'Content-Type': contentType,
        'Content-Length': String(size),
        ...(sha256 === null ? {} : { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') }),
      };
      return { url: await client.presignPut(keyOf(file, 'incoming'), headers, expiresInSeconds), headers };
    },
    async put(file, stage, source) {
      await using spooled = await spool(source);
      const { size, sha256 } = spooled;
      const body = { stream: spooled.stream(), size, sha256 };
      await drained(client.send({ method: 'PUT', key: keyOf(file, stage), body, expect: [200] }));
    },
    async promote(file) {
      const incoming = await head(client, keyOf(file, 'incoming'));
      if (incoming === null) return (await head(client, keyOf(file, 'content')))?.size ?? null;
      const copied = await client.send({
        method: 'PUT',
        key: keyOf(file, 'content'),
        headers: {
          'x-amz-copy-source': `/${settings.bucket}/${keyOf(file, 'incoming')}`,
          'x-amz-copy-source-if-match': incoming.etag,
        },
        expect: [200],
      });
      // A copy that fails after its head was sent says so in the body of a 200.
      const answer = await textOf(copied);
      if (answer.includes('<Error>')) throw unavailable(`a copy was answered with ${codeIn(answer)}`);
      await remove(file, 'incoming');
      return incoming.size;
    },
    async read(file, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      const answer = await client.send({
        method: 'GET',
        key: keyOf(file, 'content'),
        headers,
        expect: [200, 206, 404],
      });
      if (answer.statusCode !== 404) return answer;
      answer.resume();
      return null;
    },
    removeIncoming: (file) => remove(file, 'incoming'),
    removeContent: (file) => remove(file, 'content'),
    async remove(file) {
      await remove(file, 'incoming');
      await remove(file, 'content');
    },
  };
}

/** Both ids are base62 or hex: nothing in them needs to be escaped. */
const keyOf = ({ environmentId, fileId }: StoredFile, stage: FileStage): string =>
  `${environmentId}/${fileId}/${stage}`;

async function head(client: S3Client, key: string): Promise<{ size: number; etag: string } | null> {
  const answer = await drained(client.send({ method: 'HEAD', key, expect: [200, 404] }));
  if (answer.statusCode === 404) return null;
  return { size: Number(answer.headers['content-length']), etag: answer.headers.etag ?? '' };
}

async function drained(sent: Promise<IncomingMessage>): Promise<IncomingMessage> {
  const answer = await sent;
  answer.resume();
  return answer;
}
