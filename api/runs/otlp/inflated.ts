import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ServiceError, validationError } from '../../../domain/errors.ts';
import { OTLP_BODY_BYTES_MAX } from './otlp-path.ts';

const inflate = promisify(gunzip);

/** @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR. */
export async function inflated(bytes: Buffer, contentEncoding: string): Promise<Buffer> {
  if (contentEncoding === '' || contentEncoding === 'identity') return bytes;
  if (contentEncoding !== 'gzip')
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body plain or with gzip.' });
  try {
    return await inflate(bytes, { maxOutputLength: OTLP_BODY_BYTES_MAX });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ServiceError('PAYLOAD_TOO_LARGE', {
        message: `The body is larger than ${OTLP_BODY_BYTES_MAX} bytes once it is unpacked.`,
      });
    }
    throw validationError([{ path: 'body', message: 'is not gzip' }]);
  }
}
