import { z } from 'zod';
import { refuseFullStorage } from '../../db/plans/allowances.ts';
import { hasRun } from '../../db/runs/queries.ts';
import { getSpan, listSpans } from '../../db/runs/spans.ts';
import { existing, notFound, validationError } from '../../domain/errors.ts';
import { isLargeBody, readBodyAs } from '../http/bodies.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  listSpansQuery,
  presentSpan,
  runParams,
  spanParams,
  spanSchema,
  updateSpanBody,
  upsertedSchema,
  type UpsertSpans,
  upsertSpansBody,
} from './schemas.ts';
import { lockRunForSpans, writeSpans } from './write-spans.ts';

/** 500 spans of some kilobytes each. */
const SPANS_BODY_BYTES_MAX = 4_194_304;
const WRITTEN = 'none: spans are a record of their own';

export const upsertSpansRoute = defineRoute({
  of: 'environment',
  id: 'runs.spans.upsert',
  method: 'POST',
  path: '/api/v2/runs/{id}/spans',
  summary: 'Write spans of a run',
  description:
    'Up to 500. A span that is there gets the members that are sent; one that is not is made. Children may come before their parents, and spans ' +
    'of a run that has ended for an hour. What cannot be written is in `rejected`; the rest is written all the same.',
  scope: 'runs:write',
  role: 'admin',
  request: { params: runParams, body: upsertSpansBody },
  response: { 200: upsertedSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  bodyBytesMax: SPANS_BODY_BYTES_MAX,
  openUpload: (deps, workspaceId) => deps.largeBodies.open(workspaceId),
  async readBody(bytes, deps, workspaceId) {
    if (!isLargeBody(bytes)) return readBodyAs(upsertSpansBody, bytes);
    const { text, digest } = await deps.bodyThreads.run(workspaceId, { kind: 'spans', bytes });
    return { body: JSON.parse(text) as UpsertSpans, digest };
  },
  async change(tx, { params, body }) {
    const run = await lockRunForSpans(tx, params.id);
    const data = await writeSpans(tx, run.id, body.spans);
    await refuseFullStorage(tx);
    return { reply: { status: 200, data }, audit: WRITTEN };
  },
});

export const listSpansRoute = defineRoute({
  of: 'environment',
  id: 'runs.spans.list',
  method: 'GET',
  path: '/api/v2/runs/{id}/spans',
  summary: 'List one level of the spans of a run',
  description:
    'By their start, then by id. Without `parentId` the roots, and with `orphan: true` the spans whose parent never came. `childCount` says where ' +
    'to go on, so that a run of 10,000 spans opens at once.',
  scope: 'runs:read',
  role: 'member',
  request: { params: runParams, query: listSpansQuery },
  response: { 200: z.array(spanSchema) },
  async list(tx, { params, query: { parentId = null }, page }) {
    if (!(await hasRun(tx, params.id))) throw notFound('run');
    return presented(await listSpans(tx, params.id, { parentId, ...page }), presentSpan);
  },
});

export const getSpanRoute = defineRoute({
  of: 'environment',
  id: 'runs.spans.get',
  method: 'GET',
  path: '/api/v2/runs/{id}/spans/{spanId}',
  summary: 'Get a span, whole',
  scope: 'runs:read',
  role: 'member',
  request: { params: spanParams },
  response: { 200: spanSchema },
  read: async (tx, { params }) => presentSpan(existing(await getSpan(tx, params.id, params.spanId), 'span')),
});

export const updateSpanRoute = defineRoute({
  of: 'environment',
  id: 'runs.spans.update',
  method: 'PATCH',
  path: '/api/v2/runs/{id}/spans/{spanId}',
  summary: 'Change a span',
  description: 'Only what the body names changes. An hour after the end of its run a span is as it is (409).',
  scope: 'runs:write',
  role: 'admin',
  request: { params: spanParams, body: updateSpanBody },
  response: { 200: spanSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { params: { id, spanId }, body }) {
    const run = await lockRunForSpans(tx, id);
    if ((await getSpan(tx, run.id, spanId)) === null) throw notFound('span');
    const { rejected } = await writeSpans(tx, run.id, [{ ...body, id: spanId }]);
    const [refusal] = rejected;
    if (refusal !== undefined) throw validationError([{ path: 'body', message: refusal.message }]);
    await refuseFullStorage(tx);
    const span = await getSpan(tx, run.id, spanId);
    if (span === null) throw new Error(`span ${spanId} was changed and is gone`);
    return { reply: { status: 200, data: presentSpan(span) }, audit: WRITTEN };
  },
});
