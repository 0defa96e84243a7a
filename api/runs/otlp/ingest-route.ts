import { z } from 'zod';
import { remembered } from '../../../domain/remembered.ts';
import { defineRoute } from '../../http/define-route.ts';
import { OTLP_BODY_BYTES_MAX, OTLP_TRACES_PATH } from './otlp-path.ts';

/** Loaded by the first request: the names of OpenTelemetry's conventions take memory also where no exporter sends any. */
const load = remembered(() => import('./receive-traces.ts'));

/** OTLP over HTTP, in protobuf or JSON. Its replies are OTLP's, its failures too (`answer-failures.ts`). */
export const ingestTracesRoute = defineRoute({
  of: 'environment',
  id: 'runs.ingestTraces',
  method: 'POST',
  path: OTLP_TRACES_PATH,
  summary: 'Ingest traces of OpenTelemetry',
  description:
    'OTLP over HTTP: an `ExportTraceServiceRequest` in protobuf or JSON, plain or with gzip, as exporters send it. Each trace becomes a run, ' +
    'unless its spans name one by `service.run.id`; a request makes at most 100 runs. Prompts, answers and arguments are kept only with `X-Service-Capture-Content: true`. The reply is an ' +
    '`ExportTraceServiceResponse`, with `partialSuccess` where spans were rejected; a failure is a `google.rpc.Status`, whose message begins with our code.',
  scope: 'runs:write',
  role: 'admin',
  response: { 200: z.null() },
  errors: ['QUOTA_EXCEEDED'],
  bodyBytesMax: OTLP_BODY_BYTES_MAX,
  openUpload: (deps, workspaceId) => deps.largeBodies.open(workspaceId),
  streamedBody: {
    mediaType: ['application/json', 'application/x-protobuf'],
    contentEncodings: ['gzip'],
    schema: { description: 'An ExportTraceServiceRequest of opentelemetry.proto.collector.trace.v1.' },
  },
  streamedReply: true,
  foreignReplies: {
    success: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            partialSuccess: {
              type: 'object',
              properties: {
                rejectedSpans: { type: 'string', description: 'How many, as protobuf writes an int64 in JSON.' },
                errorMessage: { type: 'string' },
              },
            },
          },
        },
      },
      'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
    },
    failure: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'integer', description: 'A google.rpc.Code.' }, message: { type: 'string' } },
        },
      },
      'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
    },
  },
  ownsItsTransaction: 'A request may have spans of thousands of traces: each fifty runs have a transaction.',
  audited: 'none: spans are a record of their own',
  exempt: {
    unknownFields: 'Its body is OTLP: test/api/runs/otlp.test.ts.',
    bodies: 'Its body is OTLP: test/api/runs/otlp.test.ts.',
    conformance: 'Its replies are OTLP: test/api/runs/otlp.test.ts.',
    methods: 'Its failures are google.rpc.Status, which has no details: test/api/runs/otlp.test.ts.',
  },
  async handler({ incoming, upload, caller, deps, transaction }) {
    const { receiveTraces } = await load();
    return {
      status: 200,
      data: null,
      ...(await receiveTraces({
        incoming,
        upload,
        workspaceId: caller.workspaceId,
        db: deps.db,
        threads: deps.bodyThreads,
        transaction,
      })),
    };
  },
});
