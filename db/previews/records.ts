import type { AdapterCapabilities, ImpactQuantity } from '../../domain/actions.ts';
import type { PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import type { Preconditions } from '../../domain/previews/binding.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Relations } from '../../domain/relations.ts';
import type { PreviewBlock } from '../../domain/adapters/preview-block.ts';
import type { Allowance } from '../impact-limits/allowances.ts';
import type { ActorRecord } from '../invocations/records.ts';
import { type Shortened, withShortened } from '../columns.ts';

/** The creator of a preview: a caller, or the service, which binds the approval of an invocation to one. */
export type PreviewMaker = 'caller' | 'service';

/** A stored preview, with the names that a reader sees beside it. */
export interface PreviewRecord {
  id: string;
  actionId: string;
  actionName: string;
  versionId: string;
  adapterType: string;
  adapterVersion: string;
  environment: { id: string; name: string; kind: string };
  /** Reserved: only the invocation that executes the preview has this id. */
  invocationId: string;
  /** Reserved for the effect that executes the preview; null for a plain action. */
  reservedEffectId: string | null;
  operationKey: string | null;
  input: JsonObject;
  runId: string | null;
  agentId: string | null;
  relations: Relations;
  capabilities: AdapterCapabilities;
  target: JsonObject;
  request: PreparedRequest;
  requestDigest: string;
  impact: ImpactQuantity[];
  blocks: PreviewBlock[];
  preconditions: Preconditions;
  allowances: Allowance[];
  bindingDigest: string;
  evidenceObservedAt: Date;
  expiresAt: Date;
  supersedes: string | null;
  madeBy: PreviewMaker;
  createdBy: ActorRecord;
  createdAt: Date;
  /** The preview that replaced this one by a refresh. */
  supersededBy: string | null;
  /** True while an invocation names it. */
  used: boolean;
  /** The effect that executes it, once that exists. */
  effectId: string | null;
}

export const PREVIEW_COLUMNS = `
  p.id, p.action_id AS "actionId", a.name AS "actionName", p.version_id AS "versionId", p.adapter_type AS "adapterType",
  p.adapter_version AS "adapterVersion", json_build_object('id', n.id, 'name', n.name, 'kind', n.kind) AS environment,
  p.invocation_id AS "invocationId", p.effect_id AS "reservedEffectId", p.operation_key AS "operationKey", p.input,
  p.run_id AS "runId", p.agent_id AS "agentId",
  json_build_object('retryOf', p.retry_of, 'dependsOn', p.depends_on, 'compensates', p.compensates) AS relations, p.capabilities, p.target, p.request, p.request_digest AS "requestDigest",
  p.impact, p.blocks, p.preconditions, p.allowances, p.binding_digest AS "bindingDigest",
  p.evidence_observed_at AS "evidenceObservedAt", p.expires_at AS "expiresAt", p.supersedes, p.made_by AS "madeBy",
  p.created_by AS "createdBy", p.created_at AS "createdAt", s.id AS "supersededBy",
  EXISTS (SELECT FROM invocations i WHERE i.id = p.invocation_id AND i.preview_id = p.id) AS used,
  (SELECT e.id FROM effects e WHERE e.invocation_id = p.invocation_id AND e.preview_id = p.id) AS "effectId"`;

/** For lists, and beside an approval or an effect: large members are shortened, and the input is not shown. */
export type ListedPreviewRecord = Omit<PreviewRecord, 'request' | 'blocks'> & {
  request: PreparedRequest | Shortened;
  blocks: PreviewBlock[] | Shortened;
};

/** The columns of ListedPreviewRecord. */
export const LISTED_PREVIEW_COLUMNS = withShortened(PREVIEW_COLUMNS, 'p', [
  'input',
  'target',
  'request',
  'blocks',
  'preconditions',
]);

export const PREVIEW_TABLES = `
  previews p JOIN actions a ON a.id = p.action_id JOIN environments n ON n.id = p.environment_id
    LEFT JOIN previews s ON s.supersedes = p.id`;
