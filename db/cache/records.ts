import type { Json, JsonObject } from '../../domain/json.ts';
import { selected } from '../columns.ts';

export interface CacheEntryRecord {
  id: string;
  prompt: string;
  response: Json;
  model: string | null;
  namespace: string;
  attributes: JsonObject;
  hits: number;
  createdAt: Date;
  expiresAt: Date;
  lastHitAt: Date | null;
}

const COLUMNS = {
  id: 'c.id',
  prompt: 'c.prompt',
  response: 'c.response',
  model: 'c.model',
  namespace: 'c.namespace',
  attributes: 'c.attributes',
  hits: 'CAST(c.hits AS float8)',
  createdAt: 'c.created_at',
  expiresAt: 'c.expires_at',
  lastHitAt: 'c.last_hit_at',
};
export const CACHE_COLUMNS = selected(COLUMNS);
/** An entry that has expired is none, also where it is there still. */
export const IS_LIVE = 'c.expires_at > now()';
