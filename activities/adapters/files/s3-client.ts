import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Checksum, HttpRequest, QueryParameterBag, SourceData } from '@smithy/types';
import { ServiceError } from '../../../domain/errors.ts';

export interface S3Settings {
  /** Origin, and a path where the store has one. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The bucket is the first part of the path; else of the host. */
  pathStyle: boolean;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  key: string;
  headers?: Record<string, string>;
  body?: { stream: Readable; size: number; sha256: string };
  /** Statuses that are an answer; any other is a failure. */
  expect: readonly number[];
}

/** A store that takes or sends no byte for this long is presumed dead. */
const STALLED_TIMEOUT_MS = 60_000;
const EMPTY_SHA256 = createHash('sha256').digest('hex');
const PAYLOAD_HASH_HEADER = 'x-amz-content-sha256';
const ERROR_BODY_BYTES_MAX = 65_536;

/** Signed requests to one bucket (AWS Signature Version 4). It never retries: its caller's caller does. */
export class S3Client {
  private readonly base: URL;
  private readonly signer: SignatureV4;

  constructor({ endpoint, region, bucket, accessKeyId, secretAccessKey, pathStyle }: S3Settings) {
    this.base = new URL(`${endpoint}/`);
    if (pathStyle) this.base.pathname += `${bucket}/`;
    else this.base.hostname = `${bucket}.${this.base.hostname}`;
    this.signer = createSigner('s3', region, { accessKeyId, secretAccessKey });
  }

  /** The caller reads or discards the answer's body. Throws SERVICE_UNAVAILABLE for no or an unexpected answer. */
  async send(request: S3Request): Promise<IncomingMessage> {
    const { method, body, expect } = request;
    const signed = await this.sign(request);
    const answer = await this.exchange(signed, body?.stream);
    const { statusCode = 0 } = answer;
    if (expect.includes(statusCode)) return answer;
    throw unavailable(`${method} was answered with ${statusCode} ${codeIn(await textOf(answer))}`);
  }

  /** The request with its signature: over its headers, and over the hash of its body. */
  sign({ method, key, headers = {}, body }: Omit<S3Request, 'expect'>, signingDate = new Date()): Promise<HttpRequest> {
    const unsigned = {
      ...this.unsigned(method, key),
      headers: {
        host: this.base.host,
        [PAYLOAD_HASH_HEADER]: body?.sha256 ?? EMPTY_SHA256,
        ...(method === 'PUT' ? { 'content-length': String(body?.size ?? 0) } : {}),
        ...headers,
      },
    };
    return this.signer.sign(unsigned, { signingDate });
  }

  /** The URL and the headers of a PUT that somebody else sends. All of the headers are signed: another size or type is refused. */
  async presignPut(
    key: string,
    headers: Record<string, string>,
    expiresInSeconds: number,
    signingDate = new Date(),
  ): Promise<string> {
    const unsigned = {
      ...this.unsigned('PUT', key),
      headers: { host: this.base.host, [PAYLOAD_HASH_HEADER]: 'UNSIGNED-PAYLOAD', ...headers },
    };
    const { path, query = {} } = await this.signer.presign(unsigned, {
      expiresIn: expiresInSeconds,
      signingDate,
      unhoistableHeaders: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
    });
    const url = new URL(this.base);
    url.pathname = path;
    url.search = searchOf(query);
    return url.href;
  }

  private unsigned(method: string, key: string): HttpRequest {
    const { protocol, hostname, port, pathname } = this.base;
    return {
      method,
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: `${pathname}${key}`,
      query: {},
      headers: {},
    };
  }

  private exchange({ method, path, headers }: HttpRequest, body: Readable | undefined): Promise<IncomingMessage> {
    const { protocol, hostname, port } = this.base;
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)({ hostname, port, method, path, headers });
    request.setTimeout(STALLED_TIMEOUT_MS, () => request.destroy(new Error('stalled')));
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
    });
    if (body === undefined) request.end();
    // The answer to a refused body comes while it is sent: only a request without an answer has failed by it.
    else pipeline(body, request).catch((error: unknown) => request.destroy(error as Error));
    return answered.catch((error: unknown) => {
      throw unavailable((error as Error).message);
    });
  }
}

export function createSigner(
  service: string,
  region: string,
  credentials: { accessKeyId: string; secretAccessKey: string },
): SignatureV4 {
  return new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: false, applyChecksum: true });
}

/** Node's SHA-256, or HMAC where there is a secret, as the signer asks for it. */
class Sha256 implements Checksum {
  private hash: Hash | Hmac;
  private readonly secret: SourceData | undefined;

  constructor(secret?: SourceData) {
    this.secret = secret;
    this.hash = this.begin();
  }

  update(data: SourceData): void {
    this.hash.update(bufferOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest());
  }

  reset(): void {
    this.hash = this.begin();
  }

  private begin(): Hash | Hmac {
    return this.secret === undefined ? createHash('sha256') : createHmac('sha256', bufferOf(this.secret));
  }
}

function bufferOf(data: SourceData): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

function searchOf(query: QueryParameterBag): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map(
      (one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`,
    ),
  );
  return pairs.join('&');
}

/** The body of an answer that is small: an error, or what a copy answers. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= ERROR_BODY_BYTES_MAX) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function codeIn(xml: string): string {
  return /<Code>([A-Za-z0-9.]{1,100})<\/Code>/.exec(xml)?.[1] ?? '';
}

export function unavailable(what: string): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message: 'The store of the files does not answer as it should. Try again later.',
    cause: new Error(`S3: ${what}`),
  });
}
