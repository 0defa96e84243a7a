import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { namesTag } from '../http/replies.ts';
import type { Encoding } from '../../domain/docs/negotiation.ts';

/** Below this size, the headers cost more than compression saves. */
const COMPRESSED_FROM_BYTES = 500;
const BROTLI_QUALITY = 9;

/** A body sent many times, with its tag. Compressed once per form, in a thread of Node's pool. */
export class StoredBody {
  readonly bytes: Buffer;
  /** The hash of the uncompressed bytes; each form has a tag of its own (RFC 9110, section 8.8.3.3). */
  readonly #hash: string;
  readonly #forms = new Map<Encoding, Promise<Buffer>>();

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.#hash = createHash('sha256').update(this.bytes).digest('hex');
  }

  etag(encoding: Encoding): string {
    return encoding === 'identity' ? `"${this.#hash}"` : `"${this.#hash}-${encoding}"`;
  }

  isNamedBy(ifNoneMatch: string): boolean {
    return namesTag(ifNoneMatch, (tag) => tag.startsWith(`"${this.#hash}`));
  }

  formFor(encoding: Encoding): Encoding {
    return this.bytes.length < COMPRESSED_FROM_BYTES ? 'identity' : encoding;
  }

  async in(encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return this.bytes;
    const made = this.#forms.get(encoding) ?? compress(this.bytes, encoding);
    this.#forms.set(encoding, made);
    return made;
  }
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

async function compress(bytes: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return gzipAsync(bytes, { level: 9 });
  return brotliAsync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
}
