import type { PolicyDocument } from '../../domain/approval-policies/document.ts';
import type { GovernanceWarning } from '../../domain/governance-warnings.ts';
import { LISTED_MEMBER_BYTES_MAX, type Shortened } from '../columns.ts';

export interface PolicyAuthor {
  type: string;
  id: string;
}

/** A policy with its newest document, which is in force while the policy is enabled and not archived. */
export interface PolicyRecord {
  id: string;
  name: string;
  priority: number;
  enabled: boolean;
  /** Number of the newest version. */
  version: number;
  digest: string;
  document: PolicyDocument;
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

/** One immutable version. `digest` is SHA-256 over the JCS bytes of `document`. */
export interface PolicyVersionRecord {
  policyId: string;
  version: number;
  digest: string;
  document: PolicyDocument;
  createdBy: PolicyAuthor;
  createdAt: Date;
}

/** For lists: a large document is shortened. */
export type ListedPolicyRecord = Omit<PolicyRecord, 'document'> & { document: PolicyDocument | Shortened };
export type ListedPolicyVersionRecord = Omit<PolicyVersionRecord, 'document'> & {
  document: PolicyDocument | Shortened;
};

/** For lists, with the version's table as `v`. A document has type `json`, which keeps the order of its members. */
export const LISTED_DOCUMENT = `CASE WHEN octet_length(v.document::text) <= ${LISTED_MEMBER_BYTES_MAX} THEN v.document
  ELSE shortened_text(v.document::text, ${LISTED_MEMBER_BYTES_MAX})::json END AS document`;

export interface NewPolicyVersion {
  document: PolicyDocument;
  digest: string;
  createdBy: PolicyAuthor;
}

/** Selected from `approval_policies p` joined with the newest row of `approval_policy_versions v`. */
export const POLICY_COLUMNS = {
  id: 'p.id',
  name: 'p.name',
  priority: 'p.priority',
  enabled: 'p.enabled',
  version: 'p.current_version',
  digest: 'v.digest',
  document: 'v.document',
  createdAt: 'p.created_at',
  updatedAt: 'p.updated_at',
  archivedAt: 'p.archived_at',
} as const;

export const VERSION_COLUMNS = {
  policyId: 'policy_id',
  version: 'version',
  digest: 'digest',
  document: 'document',
  createdBy: 'created_by',
  createdAt: 'created_at',
} as const;

/** What a plan will do to one policy. `after` is set where the plan makes a version; `policyId` is set where the policy exists. */
export interface PlannedChange {
  name: string;
  action: 'create' | 'update' | 'delete' | 'none';
  policyId: string | null;
  after: PolicyDocument | null;
}

export interface PlanRecord {
  id: string;
  baseRevision: number;
  digest: string;
  changes: PlannedChange[];
  expiresAt: Date;
  isExpired: boolean;
  /** Null until the plan is applied. */
  result: AppliedPlan | null;
}

export interface AppliedChange {
  name: string;
  action: PlannedChange['action'];
  policyId: string | null;
  version: number | null;
}

/** The result of applying a plan. A repeated request gets the same result. */
export interface AppliedPlan {
  planId: string;
  revision: number;
  changes: AppliedChange[];
  warnings: GovernanceWarning[];
  appliedAt: string;
}
