import type { JsonObject } from '../json.ts';

/** Memories and their collections: docs/memory.md. */
export const MEMORY_KINDS = ['fact', 'episode'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

export const COLLECTION_NAME_CHARACTERS_MAX = 100;
export const COLLECTION_DESCRIPTION_CHARACTERS_MAX = 1_000;
export const COLLECTIONS_MAX = 1_000;
/** The collection of a request that names none. It is made when it is first used. */
export const DEFAULT_COLLECTION_NAME = 'default';

export const CONTENT_CHARACTERS_MAX = 8_192;
export const METADATA_BYTES_MAX = 8_192;
export const USER_ID_CHARACTERS_MAX = 200;
export const AGENT_ID_CHARACTERS_MAX = 60;
export const SESSION_ID_CHARACTERS_MAX = 100;
export const SOURCE_TYPE_CHARACTERS_MAX = 60;
export const SOURCE_ID_CHARACTERS_MAX = 200;
export const QUERY_CHARACTERS_MAX = 4_096;
/** A supersession reads its whole chain. */
export const VERSIONS_MAX = 1_000;

export const SEARCH_MODES = ['hybrid', 'vector', 'text'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];
export const SEARCH_LIMIT_DEFAULT = 10;
export const SEARCH_LIMIT_MAX = 100;

/** Memories compared by whole vectors. A smaller scope is searched exactly (docs/memory.md, "How it searches"). */
export const COMPARED_MAX = 2_000;

/** A request deletes up to so many chains, what was derived counted too. A job deletes the rest, page by page. */
export const FORGOTTEN_AT_ONCE_MAX = 1_000;

/** The source that a memory is derived from. `memory` names another memory: deleting that one deletes this one too. */
export interface MemorySource {
  type: string;
  id: string;
}
export const DERIVED_FROM_MEMORY = 'memory';
/** The source of what an ingest stored: its job. */
export const DERIVED_FROM_JOB = 'job';

/** Which memories a list, a search or a forgetting is about. Every member narrows it. */
export interface MemoryFilter {
  collectionIds?: readonly string[] | undefined;
  /** This one alone; only deletions ask for it. */
  memoryId?: string | undefined;
  userId?: string | undefined;
  agentId?: string | undefined;
  sessionId?: string | undefined;
  kind?: MemoryKind | undefined;
  source?: { type: string; id?: string | undefined } | undefined;
  metadata?: JsonObject | undefined;
}

/** At most one of them. Neither: as it is recorded and holds now. */
export interface MemoryMoment {
  /** What was recorded by then and held then. */
  asOf?: Date | undefined;
  /** What held then, as it is recorded now. */
  validAt?: Date | undefined;
}
