import type { JsonObject } from '../../domain/json.ts';
import type { Relations } from '../../domain/relations.ts';

/** What is to be previewed, and the ids that are reserved for it. */
export interface PreviewRequest {
  id: string;
  invocationId: string;
  effectId: string;
  /** Id or name of the action. */
  ref: string;
  input: JsonObject;
  operationKey: string | null;
  runId: string | null;
  agentId: string | null;
  relations: Relations;
  /** Null when the request does not say: `defaultLifetimeSeconds` decides, and the lifetime is at least `leastSeconds`. */
  expiresInSeconds: number | null;
  leastSeconds: number;
  supersedes: string | null;
}
