import { z } from 'zod';
import { getRun, listRuns } from '../../db/runs/queries.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  listedRunSchema,
  listRunsQuery,
  presentRun,
  presentRunWithCounts,
  runParams,
  runWithCountsSchema,
} from './schemas.ts';

export const listRunsRoute = defineRoute({
  of: 'environment',
  id: 'runs.list',
  method: 'GET',
  path: '/api/v2/runs',
  summary: 'List runs, newest first',
  scope: 'runs:read',
  role: 'member',
  request: { query: listRunsQuery },
  response: { 200: z.array(listedRunSchema) },
  list: async (tx, { query, page }) => presented(await listRuns(tx, { ...query, ...page }), presentRun),
});

export const getRunRoute = defineRoute({
  of: 'environment',
  id: 'runs.get',
  method: 'GET',
  path: '/api/v2/runs/{id}',
  summary: 'Get a run with the number of its spans, invocations, effects and approvals',
  scope: 'runs:read',
  role: 'member',
  request: { params: runParams },
  response: { 200: runWithCountsSchema },
  read: async (tx, { params }) => presentRunWithCounts(existing(await getRun(tx, params.id), 'run')),
});
