import type { Findings } from '../../domain/actions/check-definition.ts';
import type { ErrorCode } from '../../domain/errors.ts';

/** What is asked of an import apart from the document. */
export interface ImportSettings {
  operations: string[] | null;
  /** OperationIds of writing operations that are left ungoverned. */
  ungoverned: string[];
  namePrefix: string;
  secret: string | null;
  /** Nothing is kept. */
  dryRun: boolean;
}

/** What a thread is given: the bytes of a whole request, or those of a fetched document. */
export type ImportJob =
  | { kind: 'request'; bytes: Uint8Array }
  | { kind: 'document'; bytes: Uint8Array; url: string; settings: ImportSettings };

/** One operation, ready for the database. The definition is text: the event loop never builds it up as objects. */
export type PlannedImportEntry = { operationId: string; name: string } & (
  | {
      kind: 'action';
      description: string | null;
      definitionJson: string;
      digest: string;
      secretNames: string[];
      findings: Findings;
      /** True where a new action with this definition is governed. */
      governed: boolean;
      /** The caller asked to leave it ungoverned. */
      leftUngoverned: boolean;
      notes: string[];
    }
  | { kind: 'skipped'; reason: string }
);

export interface PlannedImport {
  title: string;
  entries: PlannedImportEntry[];
}

/** A request that names a document, planned, or one that names a URL. */
export type ReadImport = { settings: ImportSettings } & (
  { planned: PlannedImport; url: null } | { planned: null; url: string }
);

export type ImportAnswer =
  | { kind: 'request'; read: ReadImport; digest: string }
  | { kind: 'document'; planned: PlannedImport }
  /** The caller's mistake, as a ServiceError has it. */
  | { kind: 'refused'; code: ErrorCode; message: string; details: Record<string, unknown> | undefined };
