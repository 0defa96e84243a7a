import { z } from 'zod';
import { appendEvidence, requireNoteRoom } from '../../db/effects/evidence.ts';
import { NOTES_PER_EFFECT_MAX } from '../../domain/reconciliation/notes.ts';
import { getEffect, listEffects } from '../../db/effects/queries.ts';
import { verifyReceipts } from '../../db/effects/verify-receipts.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import {
  effectParams,
  effectSchema,
  listedEffectSchema,
  listEffectsQuery,
  noteBody,
  presentEffect,
  presentListedEffect,
  receiptCheckSchema,
} from './schemas.ts';

export const listEffectsRoute = defineRoute({
  of: 'environment',
  id: 'effects.list',
  method: 'GET',
  path: '/api/v2/actions/effects',
  summary: 'List governed effects, newest first',
  scope: 'actions:read',
  role: 'member',
  request: { query: listEffectsQuery },
  response: { 200: z.array(listedEffectSchema) },
  list: async (tx, { query, page }) => presented(await listEffects(tx, { ...query, ...page }), presentListedEffect),
});

export const getEffectRoute = defineRoute({
  of: 'environment',
  id: 'effects.get',
  method: 'GET',
  path: '/api/v2/actions/effects/{id}',
  summary: 'Get an effect with its attempts, evidence and reservations',
  scope: 'actions:read',
  role: 'member',
  request: { params: effectParams },
  response: { 200: effectSchema },
  read: async (tx, { params }) => presentEffect(existing(await getEffect(tx, params.id), 'effect')),
});

const verifyRoute = defineRoute({
  of: 'environment',
  id: 'effects.verify',
  method: 'GET',
  path: '/api/v2/actions/effects/{id}/verify',
  summary: 'Check the receipt of an effect',
  description:
    'Computes the hash chain of evidence, attempts and resolution again from what is recorded, and says where it breaks. ' +
    'docs/receipts.md shows how to do the same without this service.',
  scope: 'actions:read',
  role: 'member',
  request: { params: effectParams },
  response: { 200: receiptCheckSchema },
  async read(tx, { params }) {
    const [state] = await verifyReceipts(tx, [params.id]);
    if (!state) throw notFound('effect');
    const { effectId: _effectId, ...shown } = state;
    return { valid: shown.brokenAt === null, ...shown };
  },
});

const addNoteRoute = defineRoute({
  of: 'environment',
  id: 'effects.addNote',
  method: 'POST',
  path: '/api/v2/actions/effects/{id}/notes',
  summary: 'Add an investigation note',
  description:
    "Appends an operator note to the effect's evidence. It changes no outcome. " +
    `An effect has at most ${NOTES_PER_EFFECT_MAX} notes; one more is a 429.`,
  scope: 'actions:resolve',
  role: 'admin',
  request: { params: effectParams, body: noteBody },
  response: { 201: effectSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { params: { id }, body, actor }) {
    if (!(await getEffect(tx, id))) throw notFound('effect');
    await requireNoteRoom(tx, id);
    await appendEvidence(tx, {
      effectId: id,
      source: 'operator_note',
      observedAt: new Date(),
      impliedOutcome: null,
      summary: body.note,
      actor,
    });
    const effect = await getEffect(tx, id);
    if (!effect) throw notFound('effect');
    return {
      reply: { status: 201, data: presentEffect(effect) },
      audit: { action: 'effect.noted', target: { type: 'effect', id } },
    };
  },
});

export const effectRoutes: AnyRoute[] = [listEffectsRoute, getEffectRoute, verifyRoute, addNoteRoute];
