import { z } from 'zod';
import { appendEvidence } from '../../db/effects/append-evidence.ts';
import { getEffect } from '../../db/effects/get-effect.ts';
import { listEffects } from '../../db/effects/list-effects.ts';
import { verifyReceipts } from '../../db/effects/verify-receipts.ts';
import { notFound } from '../../domain/errors.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { paginationOf } from '../http/pagination.ts';
import {
  effectParams,
  effectSchema,
  listEffectsQuery,
  noteBody,
  presentEffect,
  receiptCheckSchema,
} from './schemas.ts';

const listRoute = defineRoute({
  id: 'effects.list',
  method: 'GET',
  path: '/api/v2/actions/effects',
  summary: 'List governed effects, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { query: listEffectsQuery },
  response: { 200: z.array(effectSchema) },
  paginated: true,
  errors: [],
  async handler({ query, caller, deps }) {
    const { total, items } = await deps.db.withEnvironment(caller.tenant, (tx) => listEffects(tx, query));
    return { status: 200, data: items.map(presentEffect), pagination: paginationOf(total, query.page, query.limit) };
  },
});

const getRoute = defineRoute({
  id: 'effects.get',
  method: 'GET',
  path: '/api/v2/actions/effects/{id}',
  summary: 'Get an effect with its attempts, evidence and reservations',
  scope: 'actions:read',
  role: 'member',
  request: { params: effectParams },
  response: { 200: effectSchema },
  errors: ['NOT_FOUND'],
  async handler({ params, caller, deps }) {
    const effect = await deps.db.withEnvironment(caller.tenant, (tx) => getEffect(tx, params.id));
    if (!effect) throw notFound('effect');
    return { status: 200, data: presentEffect(effect) };
  },
});

const verifyRoute = defineRoute({
  id: 'effects.verify',
  method: 'GET',
  path: '/api/v2/actions/effects/{id}/verify',
  summary: 'Check the receipt of an effect',
  description:
    'Computes the chain of its evidence, attempts and resolution anew from what is recorded, and says where it breaks. ' +
    'docs/receipts.md says how to do the same without this service.',
  scope: 'actions:read',
  role: 'member',
  request: { params: effectParams },
  response: { 200: receiptCheckSchema },
  errors: ['NOT_FOUND'],
  async handler({ params, caller, deps }) {
    const [state] = await deps.db.oneStatement(caller.tenant, (tx) => verifyReceipts(tx, [params.id]));
    if (!state) throw notFound('effect');
    const { effectId: _effectId, ...shown } = state;
    return { status: 200, data: { valid: shown.brokenAt === null, ...shown } };
  },
});

const addNoteRoute = defineRoute({
  id: 'effects.addNote',
  method: 'POST',
  path: '/api/v2/actions/effects/{id}/notes',
  summary: 'Add an investigation note',
  description: "Appends an operator note to the effect's evidence. It changes no outcome.",
  scope: 'actions:resolve',
  role: 'admin',
  request: { params: effectParams, body: noteBody },
  response: { 201: effectSchema },
  errors: ['NOT_FOUND'],
  idempotent: true,
  handler({ params, body, caller, actor, deps, recordReply }) {
    return deps.db.withEnvironment(caller.tenant, async (tx) => {
      if (!(await getEffect(tx, params.id))) throw notFound('effect');
      await appendEvidence(tx, {
        effectId: params.id,
        source: 'operator_note',
        observedAt: new Date(),
        impliedOutcome: null,
        summary: body.note,
        actor,
      });
      const effect = await getEffect(tx, params.id);
      if (!effect) throw notFound('effect');
      return recordReply(tx, { status: 201, data: presentEffect(effect) });
    });
  },
});

export const effectRoutes: AnyRoute[] = [listRoute, getRoute, verifyRoute, addNoteRoute];
