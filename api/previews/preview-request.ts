import type { JsonObject } from '../../domain/json.ts';
import type { Relations } from '../../domain/relations.ts';

/** The request with the ids reserved for it. */
export interface PreviewRequest {
  id: string;
  invocationId: string;
  effectId: string;
  ref: string;
  input: JsonObject;
  operationKey: string | null;
  runId: string | null;
  agentId: string | null;
  relations: Relations;
  /** Null for the default of `defaultLifetimeSeconds`; the lifetime is at least `leastSeconds`. */
  expiresInSeconds: number | null;
  leastSeconds: number;
  supersedes: string | null;
}
