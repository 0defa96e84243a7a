import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import { type JsonObject, textOf } from '../../domain/json.ts';
import { getEffectRoute, listEffectsRoute } from '../effects/routes.ts';
import type { EnvironmentRoute } from '../http/define-route.ts';
import { PAGE_MAX } from '../http/common-fields.ts';
import { getPreviewRoute } from '../previews/get-preview.ts';
import { cursorOf, positionOf } from './cursor.ts';
import { callRoute, type Exchange, mayCall } from './exchange.ts';
import { invalidParams } from './protocol-errors.ts';

const MIME_TYPE = 'application/json';
const PAGE_RECEIPTS = 50;
const POSITION = /^[1-9]\d{0,5}$/;
const URI = /^(receipt|preview):\/\/(\w{1,100})$/;

const READ_BY: Readonly<Record<string, EnvironmentRoute>> = { receipt: getEffectRoute, preview: getPreviewRoute };

export const TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: 'receipt://{effectId}',
      name: 'receipt',
      title: 'Receipt of a governed action',
      description: 'What was sent, every attempt, the evidence, and what is really known.',
      mimeType: MIME_TYPE,
    },
    {
      uriTemplate: 'preview://{previewId}',
      name: 'preview',
      title: 'Preview of a governed action',
      description: 'Exactly what an invocation would send. It never changes.',
      mimeType: MIME_TYPE,
    },
  ],
};

/** Receipts, newest first. A key that may not list them gets an empty list, and can still read its own previews. */
export async function listResources(exchange: Exchange, cursor: string | undefined): Promise<ListResourcesResult> {
  if (!mayCall(exchange, listEffectsRoute)) return { resources: [] };
  const page = cursor === undefined ? 1 : Number(positionOf(cursor, POSITION));
  if (page > PAGE_MAX) throw invalidParams('The cursor is not one of this list: begin again without it.');
  const { data, pagination } = await callRoute(exchange, listEffectsRoute, { query: { page, limit: PAGE_RECEIPTS } });
  const resources = (data as (JsonObject & { action: JsonObject })[]).map((effect) => ({
    uri: `receipt://${textOf(effect, 'id')}`,
    name: textOf(effect, 'id'),
    title: textOf(effect.action, 'name'),
    description: `${textOf(effect, 'outcome').toUpperCase()} (${textOf(effect, 'grade')})`,
    mimeType: MIME_TYPE,
  }));
  return { resources, ...(pagination?.hasMore === true ? { nextCursor: cursorOf(String(page + 1)) } : {}) };
}

export async function readResource(exchange: Exchange, uri: string): Promise<ReadResourceResult> {
  const [, kind = '', id = ''] = URI.exec(uri) ?? [];
  const route = READ_BY[kind];
  if (route === undefined) throw invalidParams('Resources are receipt://eff_… and preview://prv_….');
  const { data } = await callRoute(exchange, route, { params: { id } });
  return { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(data) }] };
}
