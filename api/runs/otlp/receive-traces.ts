import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { create, toBinary, toJsonString } from '@bufbuild/protobuf';
import type { Database } from '../../../db/client.ts';
import { chargeRateLimit } from '../../../db/plans/rate-limiter.ts';
import { batchesOf } from '../../../domain/batches-of.ts';
import { CUT_ATTRIBUTE } from '../../../domain/runs/cut-contents.ts';
import { isLargeBody, readBytes } from '../../http/bodies.ts';
import type { Upload } from '../../threads/uploads.ts';
import type { EnvironmentHandlerContext } from '../../http/route-forms.ts';
import type { OtlpEncoding } from '../../threads/body-job.ts';
import type { BodyThreads } from '../../threads/body-threads.ts';
import { ExportTraceServiceResponseSchema } from './descriptors.ts';
import { ingestTraces } from './ingest-traces.ts';
import { inflated } from './inflated.ts';
import { mapTraces, type TracesBody } from './map-traces.ts';
import { takeRuns } from './take-runs.ts';
import { OTLP_BODY_BYTES_MAX, otlpEncodingOf } from './otlp-path.ts';
import type { RunsOfTraces } from '../../../domain/runs/runs-of-traces.ts';

const CAPTURE_HEADER = 'x-service-capture-content';
const REASONS_SHOWN_MAX = 5;
/** Runs of one transaction, each with a lock: a batch may have a span of each of hundreds of traces. */
const RUNS_PER_TRANSACTION = 50;

interface Received {
  incoming: IncomingMessage;
  upload: Upload | null;
  workspaceId: string;
  db: Database;
  threads: BodyThreads;
  transaction: EnvironmentHandlerContext<unknown, unknown, unknown>['transaction'];
}

/**
 * Reads a request and writes its spans.
 *
 * Each run is whole or not there. After a failure between two the exporter sends the request again, which changes nothing of the first.
 */
export async function receiveTraces({
  incoming,
  upload,
  workspaceId,
  db,
  threads,
  transaction,
}: Received): Promise<OtlpReply> {
  const encoding = otlpEncodingOf(incoming.headers['content-type'] ?? '');
  if (encoding === null) throw new Error('the media type was checked before the body');
  const sent = await readBytes(incoming, OTLP_BODY_BYTES_MAX, upload ?? undefined);
  const body = await inflated(sent, (incoming.headers['content-encoding'] ?? '').toLowerCase());
  if (body !== sent) upload?.take(body.length);
  const captureContent = String(incoming.headers[CAPTURE_HEADER] ?? '').toLowerCase() === 'true';
  const { runs, rejected } = await mappedTraces(threads, workspaceId, { bytes: body, encoding, captureContent });
  const { taken, rejected: refused, cost } = await transaction((tx) => takeRuns(tx, runs));
  rejected.push(...refused);
  // Counted before they are written: requests at the same time are counted too.
  if (cost > 1) await chargeRateLimit(db, workspaceId, cost - 1);
  let cut = 0;
  for (const groups of batchesOf(taken, RUNS_PER_TRANSACTION)) {
    const ingested = await transaction((tx) => ingestTraces(tx, groups));
    rejected.push(...ingested.rejected);
    cut += ingested.cut;
  }
  return replyOf(encoding, rejected, cut);
}

async function mappedTraces(threads: BodyThreads, workspaceId: string, body: TracesBody): Promise<RunsOfTraces> {
  if (!isLargeBody(body.bytes)) return mapTraces(body);
  const { traces } = await threads.run(workspaceId, { kind: 'traces', ...body });
  return traces;
}

interface OtlpReply {
  stream: Readable;
  headers: Record<string, string>;
}

/** Partial success, as OTLP says: what was rejected is not sent again, and with nothing rejected its message is a warning. */
function replyOf(encoding: OtlpEncoding, rejected: readonly string[], cut: number): OtlpReply {
  const reasons = [...new Set(rejected)].slice(0, REASONS_SHOWN_MAX);
  if (cut > 0)
    reasons.push(`the contents of ${cut} ${cut === 1 ? 'span' : 'spans'} were cut, as ${CUT_ATTRIBUTE} says`);
  const response = create(
    ExportTraceServiceResponseSchema,
    reasons.length === 0
      ? {}
      : { partialSuccess: { rejectedSpans: BigInt(rejected.length), errorMessage: reasons.join('; ') } },
  );
  const bytes =
    encoding === 'json'
      ? Buffer.from(toJsonString(ExportTraceServiceResponseSchema, response))
      : Buffer.from(toBinary(ExportTraceServiceResponseSchema, response));
  const type = encoding === 'json' ? 'application/json; charset=utf-8' : 'application/x-protobuf';
  return { stream: Readable.from([bytes]), headers: { 'Content-Type': type, 'Content-Length': String(bytes.length) } };
}
