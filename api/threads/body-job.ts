import type { ErrorCode } from '../../domain/errors.ts';
import type { RunsOfTraces } from '../../domain/runs/runs-of-traces.ts';

export type OtlpEncoding = 'protobuf' | 'json';

/** A large body, and what it is read as. */
export type BodyJob =
  | { kind: 'spans'; bytes: Uint8Array }
  | { kind: 'ingest'; bytes: Uint8Array }
  | { kind: 'traces'; bytes: Uint8Array; encoding: OtlpEncoding; captureContent: boolean };

export type BodyAnswer =
  /** The checked body; for spans as JSON text, which is parsed again in a tenth of the time that a thread's message takes. */
  | { kind: 'spans'; text: string; digest: string }
  | { kind: 'ingest'; body: unknown; digest: string }
  | { kind: 'traces'; traces: RunsOfTraces }
  /** The caller's mistake, as a ServiceError has it. */
  | { kind: 'refused'; code: ErrorCode; message: string; details: Record<string, unknown> | undefined };
