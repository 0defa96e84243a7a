import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import type { Overlap, RunError, RunMessage, RunOutcome, RunTrigger } from '../../domain/schedules/schedules.ts';
import type { StoredContent } from '../messages/message-content.ts';
import type { SealedSecret } from '../secrets/vault.ts';
import type { StoredDestination } from './destination.ts';

export interface ScheduleRecord {
  id: string;
  name: string | null;
  cron: string;
  timezone: string;
  overlap: Overlap;
  catchUpSeconds: number;
  destination: StoredDestination;
  paused: boolean;
  createdBy: { type: string; id: string | null };
  lastRunAt: Date | null;
  dueAt: Date | null;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface RunRecord {
  trigger: RunTrigger;
  nominalAt: Date;
  firedAt: Date;
  outcome: RunOutcome;
  error: RunError | null;
  messages: RunMessage[];
  eventId: string | null;
}

/** Where the row of a run has its error: both are null, or neither. */
export interface ErrorColumns {
  code: string | null;
  reason: string | null;
}

export function withRunError<Row extends ErrorColumns>({
  code,
  reason,
  ...run
}: Row): Omit<Row, keyof ErrorColumns> & Pick<RunRecord, 'error'> {
  return { ...run, error: code === null || reason === null ? null : { code, message: reason } };
}

export const SCHEDULE_COLUMNS = `
  s.id, s.name, s.cron, s.timezone, s.overlap, s.catch_up_seconds AS "catchUpSeconds", s.destination AS request, s.headers, s.body,
  s.body_kind AS "bodyKind", s.body_sealed AS "bodySealed", s.master_key_version AS "masterKeyVersion",
  s.wrapped_data_key AS "wrappedDataKey", s.sealed_value AS "sealedValue", s.paused, s.created_by AS "createdBy",
  s.last_run_at AS "lastRunAt", s.due_at AS "dueAt", s.revision, s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;

export type ScheduleRow = Omit<ScheduleRecord, 'destination'> &
  Omit<StoredContent, 'sealed'> & { request: Omit<PublishRequest, 'headers' | 'body'> } & {
    [Column in keyof SealedSecret]: SealedSecret[Column] | null;
  };

export function scheduleOf(row: ScheduleRow): ScheduleRecord {
  const { request, headers, body, bodyKind, bodySealed, masterKeyVersion, wrappedDataKey, sealedValue, ...record } =
    row;
  const sealed =
    masterKeyVersion === null || wrappedDataKey === null || sealedValue === null
      ? null
      : { masterKeyVersion, wrappedDataKey, sealedValue };
  return { ...record, destination: { request, content: { headers, body, bodyKind, bodySealed, sealed } } };
}

/** The values of the columns that keep a destination. */
export function destinationColumns({ request, content }: StoredDestination): Record<string, unknown> {
  return {
    request: JSON.stringify(request),
    headers: content.headers === null ? null : JSON.stringify(content.headers),
    body: content.body,
    bodyKind: content.bodyKind,
    bodySealed: content.bodySealed,
    masterKeyVersion: content.sealed?.masterKeyVersion ?? null,
    wrappedDataKey: content.sealed?.wrappedDataKey ?? null,
    sealedValue: content.sealed?.sealedValue ?? null,
  };
}
