import { expect, test } from 'vitest';
import { createSigner, S3Client } from '../../../activities/adapters/files/s3-client.ts';

/**
 * The examples that AWS publishes ("Authenticating Requests: Using the Authorization Header" and "… Using Query Parameters", Amazon S3 API
 * Reference). Key and secret are those of the documentation, and open nothing.
 */
const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const AT = new Date('2013-05-24T00:00:00Z');
const HOST = 'examplebucket.s3.amazonaws.com';
const client = new S3Client({
  endpoint: 'https://s3.amazonaws.com',
  region: 'us-east-1',
  bucket: 'examplebucket',
  pathStyle: false,
  ...CREDENTIALS,
});
const signer = createSigner('s3', 'us-east-1', CREDENTIALS);

const signatureIn = (authorization: string | undefined): string | undefined =>
  /Signature=([0-9a-f]{64})$/.exec(authorization ?? '')?.[1];

test('a GET of a range is signed as AWS’s example', async () => {
  const signed = await client.sign({ method: 'GET', key: 'test.txt', headers: { range: 'bytes=0-9' } }, AT);
  expect(signed.headers['authorization']).toContain('SignedHeaders=host;range;x-amz-content-sha256;x-amz-date');
  expect(signatureIn(signed.headers['authorization'])).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test.each([
  [{ lifecycle: '' }, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  [{ 'max-keys': '2', prefix: 'J' }, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('a GET with the query %j is signed as AWS’s example', async (query, signature) => {
  const empty = await client.sign({ method: 'GET', key: '' }, AT);
  const { authorization: _, ...headers } = empty.headers;
  const signed = await signer.sign({ ...empty, headers, query }, { signingDate: AT });
  expect(signatureIn(signed.headers['authorization'])).toBe(signature);
});

test('a presigned URL is AWS’s example', async () => {
  const unsigned = {
    method: 'GET',
    protocol: 'https:',
    hostname: HOST,
    path: '/test.txt',
    query: {},
    headers: { host: HOST, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  };
  const { query } = await signer.presign(unsigned, {
    signingDate: AT,
    expiresIn: 86_400,
    unsignableHeaders: new Set(['x-amz-content-sha256']),
    unhoistableHeaders: new Set(['x-amz-content-sha256']),
  });
  expect(query?.['X-Amz-SignedHeaders']).toBe('host');
  expect(query?.['X-Amz-Signature']).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404');
});

test('a presigned upload signs its type, its size and its hash, so that S3 takes nothing else', async () => {
  const url = new URL(
    await client.presignPut(
      'e/f/incoming',
      { 'Content-Type': 'text/plain', 'Content-Length': '3', 'x-amz-checksum-sha256': 'abc=' },
      3_600,
      AT,
    ),
  );
  expect([url.host, url.pathname]).toEqual([HOST, '/e/f/incoming']);
  expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host;x-amz-checksum-sha256');
  expect(url.searchParams.get('X-Amz-Expires')).toBe('3600');
});
