import type { Json, JsonObject } from '../../domain/json.ts';
import { selected } from '../columns.ts';
import { type Shortened, shortenedColumn } from '../shortened.ts';

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

/** In lists: large members are shortened. */
export interface ListedCacheEntry extends Omit<CacheEntryRecord, 'prompt' | 'response'> {
  prompt: string | Shortened;
  response: Json | Shortened;
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
export const LISTED_CACHE_COLUMNS = selected({
  ...COLUMNS,
  prompt: shortenedColumn('to_jsonb(c.prompt)'),
  response: shortenedColumn('c.response'),
});
/** An entry that has expired is none, also where it is there still. */
export const IS_LIVE = 'c.expires_at > now()';
