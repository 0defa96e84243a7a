import type { OtlpEncoding } from '../../threads/body-job.ts';

export const OTLP_TRACES_PATH = '/api/v2/otlp/v1/traces';
/** Bounds a body, and what a compressed one becomes: a body of zeros grows a thousandfold. */
export const OTLP_BODY_BYTES_MAX = 4_194_304;

export function otlpEncodingOf(contentType: string): OtlpEncoding | null {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase();
  if (mediaType === 'application/x-protobuf') return 'protobuf';
  return mediaType === 'application/json' ? 'json' : null;
}
