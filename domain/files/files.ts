/** What callers keep here as files: limits, and what may be said of one. The rules: docs/files.md. */

/** A direct upload, and a presigned one to the folder store. Exactly this many pass. */
export const DIRECT_FILE_BYTES_MAX = 104_857_600;
/** A presigned upload to S3, which takes no more in one PUT. */
export const PRESIGNED_FILE_BYTES_MAX = 5_368_709_120;
/** What a multipart body may hold beside the file: its boundaries, `purpose` and `metadata`. */
export const MULTIPART_OVERHEAD_BYTES_MAX = 65_536;
/** The least storage that a file takes of the plan's: a row costs something too (`storage_of` in the database). */
export const COUNTED_BYTES_MIN = 1_024;
export const METADATA_BYTES_MAX = 16_384;
export const PURPOSE_CHARACTERS_MAX = 64;
export const FILENAME_CHARACTERS_MAX = 255;
export const CONTENT_TYPE_CHARACTERS_MAX = 255;
/** How long an upload may take: what is not confirmed by then is removed. */
export const UPLOAD_TTL_SECONDS = 3_600;
/** An upload that began before its URL expired may end this much later. What it leaves is removed then. */
export const LATE_UPLOAD_SECONDS = 3_600;
/** How long one confirmation may check an upload before another one may. Reading 5 GiB takes minutes. */
export const CONFIRMING_SECONDS = 900;
/** A removal that is older than this has lost its process. */
export const REMOVAL_LOST_SECONDS = 30;

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
/** White space is of one line: the type becomes a header. */
const MEDIA_TYPE =
  /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}(?:[ \t]*;[ \t]*[a-z0-9!#$&^_.+-]+=(?:[a-z0-9!#$&^_.+-]+|"[\x20-\x21\x23-\x5b\x5d-\x7e]*"))*$/i;
export const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Whether a Content-Type may be kept, and sent with the download. */
export function isMediaType(text: string): boolean {
  return text.length <= CONTENT_TYPE_CHARACTERS_MAX && MEDIA_TYPE.test(text);
}

/** The mistake in a file's name, or null. A name is data and never part of a path; one that holds a path was probably meant as one. */
export function filenameProblem(name: string): string | null {
  const { length } = Array.from(name);
  if (length === 0 || length > FILENAME_CHARACTERS_MAX) return `must have 1 to ${FILENAME_CHARACTERS_MAX} characters`;
  if (/\p{Cc}|\p{Surrogate}/u.test(name)) return 'must not hold control characters';
  if (/[/\\]/.test(name) || name === '.' || name === '..') return 'must be a name without a path';
  return null;
}

/** The `Content-Disposition` of a download (RFC 6266): plain ASCII for old clients, the whole name in `filename*`. */
export function attachmentDisposition(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** The first and the last byte to send, or that none of the range is there. */
export type ByteRange = { kind: 'whole' } | { kind: 'part'; start: number; end: number } | { kind: 'unsatisfiable' };

/** One range of bytes of RFC 9110. Several ranges, other units and what cannot be read are answered with the whole. */
export function byteRangeOf(header: string | undefined, size: number): ByteRange {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return { kind: 'whole' };
  if (first === '') {
    const start = Math.max(size - Number(last), 0);
    return Number(last) === 0 || size === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return { kind: 'whole' };
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}
