import { type DescMessage, fromBinary, fromJson } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ServiceError, validationError } from '../../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import type { TracedEvent } from '../../../domain/runs/otlp-contents.ts';
import type { TracedSpan } from '../../../domain/runs/otlp.ts';
import { parseJsonBytes } from '../../http/bodies.ts';
import {
  type AnyValue,
  type ExportTraceServiceRequest,
  ExportTraceServiceRequestSchema,
  type KeyValue,
  type OtlpSpan,
} from './descriptors.ts';
import type { OtlpEncoding } from '../../threads/body-job.ts';

/**
 * Fields of a message in protobuf, known or not; members and items in JSON. An empty message is two bytes on the wire and hundreds in
 * memory. 5,000 spans with 16 attributes each have some 400,000.
 */
const PARTS_MAX = 500_000;
const MESSAGE_DEPTH_MAX = 64;
/** Exporters send 512 at once by default. */
const SPANS_MAX = 5_000;
const LAST_MS = 253_402_300_799_999n; // the end of the year 9999
const VALUE_DEPTH_MAX = 16;

export interface ReadTraces {
  spans: TracedSpan[];
  /** Why each of the others cannot be read. */
  rejected: string[];
}

/** @throws {ServiceError} VALIDATION_ERROR where the body is no request of OTLP's trace service. */
export function readTraces(bytes: Uint8Array, encoding: OtlpEncoding): ReadTraces {
  const request = decoded(bytes, encoding);
  const read: ReadTraces = { spans: [], rejected: [] };
  const total = request.resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .reduce((sum, { spans }) => sum + spans.length, 0);
  if (total > SPANS_MAX) {
    throw new ServiceError('PAYLOAD_TOO_LARGE', { message: `Send at most ${SPANS_MAX} spans at once, not ${total}.` });
  }
  for (const { resource, scopeSpans } of request.resourceSpans) {
    const ofResource = objectOf(resource?.attributes ?? []);
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      const result = readSpan(span, ofResource);
      if (typeof result === 'string') read.rejected.push(result);
      else read.spans.push(result);
    }
  }
  return read;
}

function decoded(bytes: Uint8Array, encoding: OtlpEncoding): ExportTraceServiceRequest {
  const options = { valuesMax: PARTS_MAX, quotesInexactNumbers: true };
  const json = encoding === 'json' ? withBinaryIds(parseJsonBytes(bytes, options)) : null;
  try {
    if (encoding === 'json') {
      return fromJson(ExportTraceServiceRequestSchema, json as never, { ignoreUnknownFields: true });
    }
    countFields(new BinaryReader(bytes), ExportTraceServiceRequestSchema, new FieldCount(), 0);
    return fromBinary(ExportTraceServiceRequestSchema, bytes, { readUnknownFields: false });
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const why = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read';
    throw validationError([{ path: 'body', message: `is no ExportTraceServiceRequest: ${why}` }]);
  }
}

class FieldCount {
  #count = 0;

  /** @throws {ServiceError} VALIDATION_ERROR. */
  add(): void {
    this.#count += 1;
    if (this.#count > PARTS_MAX) {
      throw validationError([
        { path: 'body', message: `has more than ${PARTS_MAX} fields, all messages together; send fewer spans at once` },
      ]);
    }
  }
}

/** Counts what decoding would read, and makes nothing. */
function countFields(reader: BinaryReader, message: DescMessage, count: FieldCount, depth: number): void {
  if (depth > MESSAGE_DEPTH_MAX) throw new Error('it is nested too deeply');
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    count.add();
    const field = message.fields.find((one) => one.number === number);
    if (field?.message === undefined || wireType !== WireType.LengthDelimited) reader.skip(wireType, number);
    else countFields(new BinaryReader(reader.bytes()), field.message, count, depth + 1);
  }
}

/** Parsers of Protocol Buffers read both spellings. */
const ID_MEMBERS = new Set(['traceId', 'spanId', 'parentSpanId', 'trace_id', 'span_id', 'parent_span_id']);

/** OTLP's JSON has ids in hexadecimal, where the JSON of Protocol Buffers has base64. */
function withBinaryIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBinaryIds);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      ID_MEMBERS.has(name) && typeof member === 'string'
        ? Buffer.from(member, 'hex').toString('base64')
        : withBinaryIds(member),
    ]),
  );
}

/** The span, or why it cannot be one. */
function readSpan(span: OtlpSpan, resource: JsonObject): TracedSpan | string {
  const [traceId, spanId, parentId] = [span.traceId, span.spanId, span.parentSpanId].map((id) =>
    Buffer.from(id).toString('hex'),
  );
  if (traceId === undefined || !/^(?!0{32})[0-9a-f]{32}$/.test(traceId)) return 'a trace id is not 16 bytes';
  if (spanId === undefined || !/^(?!0{16})[0-9a-f]{16}$/.test(spanId)) return 'a span id is not 8 bytes';
  if (parentId === undefined || !/^([0-9a-f]{16})?$/.test(parentId)) return 'the id of a parent is not 8 bytes';
  const [start, end] = [span.startTimeUnixNano / 1_000_000n, span.endTimeUnixNano / 1_000_000n];
  if (start === 0n || start > LAST_MS || end > LAST_MS) return `the times of span ${spanId} are not times`;
  return {
    traceId,
    spanId,
    parentId: parentId === '' || /^0+$/.test(parentId) ? null : parentId,
    name: cleaned(span.name),
    startedAt: new Date(Number(start)).toISOString(),
    endedAt: end === 0n ? null : new Date(Number(end < start ? start : end)).toISOString(),
    hasFailed: span.status?.code === 2,
    statusMessage: cleaned(span.status?.message ?? ''),
    attributes: objectOf(span.attributes),
    resource,
    events: span.events.map(readEvent),
  };
}

function readEvent({ name, timeUnixNano, attributes }: OtlpSpan['events'][number]): TracedEvent {
  const at = timeUnixNano / 1_000_000n;
  return {
    name: cleaned(name),
    at: at === 0n || at > LAST_MS ? null : new Date(Number(at)).toISOString(),
    attributes: objectOf(attributes),
  };
}

function objectOf(pairs: readonly KeyValue[], depth = 0): JsonObject {
  return Object.fromEntries(pairs.map(({ key, value }) => [cleaned(key), jsonOf(value, depth)]));
}

function jsonOf(any: AnyValue | undefined, depth: number): Json {
  const value = any?.value;
  if (value?.case === undefined) return null;
  if (depth > VALUE_DEPTH_MAX) return `[cut: deeper than ${VALUE_DEPTH_MAX} levels]`;
  switch (value.case) {
    case 'stringValue':
      return cleaned(value.value);
    case 'boolValue':
      return value.value;
    case 'intValue':
      return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : String(value.value);
    case 'doubleValue':
      return Number.isFinite(value.value) ? value.value : String(value.value);
    case 'arrayValue':
      return value.value.values.map((one) => jsonOf(one, depth + 1));
    case 'kvlistValue':
      return objectOf(value.value.values, depth + 1);
    case 'bytesValue':
      return Buffer.from(value.value).toString('base64');
  }
}

/** PostgreSQL has neither NUL nor half a character in a text. */
function cleaned(text: string): string {
  return Buffer.from(text.replaceAll('\0', ''), 'utf8').toString('utf8');
}
