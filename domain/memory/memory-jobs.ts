import type { JsonObject } from '../json.ts';
import type { MemoryFilter, MemoryKind } from './memories.ts';

/** `ingest` stores, `forget` deletes what a filter finds, `delete` deletes what a deleted collection held. */
export const MEMORY_JOB_KINDS = ['ingest', 'forget', 'delete'] as const;
export type MemoryJobKind = (typeof MEMORY_JOB_KINDS)[number];
export const MEMORY_JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const;
export type MemoryJobStatus = (typeof MEMORY_JOB_STATUSES)[number];

export const OPEN_JOBS_MAX = 100;
export const ENDED_JOBS_KEPT_DAYS = 30;
export const CHUNKS_MAX = 20_000;
/** All messages of a session that is ingested: their content and their calls as JSON, images too. */
export const SESSION_BYTES_MAX = 8 * 1024 * 1024;
export const INGEST_MESSAGES_MAX = 10_000;
/** Chunks that are embedded together and stored in one transaction. */
export const INGEST_PAGE_SIZE = 64;
export const FORGET_PAGE_SIZE = 500;

export interface MemoryJobRef {
  workspaceId: string;
  environmentId: string;
  jobId: string;
  kind: MemoryJobKind;
}

export type MemoryJobStep =
  { next: 'go on' } | { next: 'wait'; why: 'embeddings' | 'paused' } | { next: 'end'; status: MemoryJobStatus };

export interface IngestTemplate {
  kind: MemoryKind;
  userId: string | null;
  agentId: string | null;
  sessionId: string | null;
  metadata: JsonObject;
  /** RFC 3339; null: never. */
  expiresAt: string | null;
}

export interface IngestChunk {
  content: string;
  /** Says which message it is from. */
  metadata: JsonObject;
}

/** What an ingest writes into the metadata of each memory, by what it reads. */
export const CHUNK_METADATA = {
  text: ['position'],
  messages: ['position', 'role', 'name'],
  sessionId: ['position', 'role', 'name', 'messageId', 'sequence'],
} as const;

export type ForgetFilter = MemoryFilter;
