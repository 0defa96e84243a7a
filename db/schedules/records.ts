import type { Json } from '../../domain/json.ts';
import { REDACTED } from '../../domain/redacted.ts';
import type { PublishRequest } from '../../domain/messages/publish-request.ts';
import type { Overlap, RunError, RunMessage, RunOutcome, RunTrigger } from '../../domain/schedules/schedules.ts';
import type { Tenant } from '../client.ts';
import { type MessageContent, openContent, sealContent, type StoredContent } from '../messages/records.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';

/** A destination as a schedule keeps it: a publish request whose headers and body are kept as those of a message. */
export interface StoredDestination {
  request: Omit<PublishRequest, 'headers' | 'body'>;
  content: StoredContent;
}

/** The associated data of a schedule's sealed content. No secret's name holds a slash, so the two never collide. */
export function scheduleAssociatedData({ workspaceId, environmentId }: Tenant, scheduleId: string): SecretContext {
  return { workspaceId, environmentId, name: `schedule/${scheduleId}`, version: 1 };
}

export function sealDestination(
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  scheduleId: string,
  { headers, body, ...request }: PublishRequest,
): StoredDestination {
  const content: MessageContent = { headers: headers ?? null, body: bodyText(body ?? null) };
  return {
    request,
    content: sealContent(vault, scheduleAssociatedData(tenant, scheduleId), content, request.redact ?? null),
  };
}

/** The publish request as its author sent it, secret parts included: only for a firing. */
export function openDestination(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  scheduleId: string,
  { request, content }: StoredDestination,
): PublishRequest {
  const { headers, body } = openContent(vault, scheduleAssociatedData(tenant, scheduleId), content);
  return joined(request, headers, body === null ? null : bodyOf(body.kind, body.text));
}

/** The same as a reader may see it. */
export function shownDestination({ request, content }: StoredDestination): PublishRequest {
  const { headers, body, bodyKind, bodySealed } = content;
  if (bodySealed) return joined(request, headers, REDACTED);
  return joined(request, headers, bodyKind === 'none' || body === null ? null : bodyOf(bodyKind, body));
}

function joined(
  request: StoredDestination['request'],
  headers: Record<string, string> | null,
  body: Json,
): PublishRequest {
  return { ...request, ...(headers === null ? {} : { headers }), ...(body === null ? {} : { body }) };
}

/** A string is sent as it is: its publisher wrote the bytes. */
function bodyText(body: Json): MessageContent['body'] {
  if (body === null) return null;
  return typeof body === 'string' ? { kind: 'text', text: body } : { kind: 'json', text: JSON.stringify(body) };
}

function bodyOf(kind: 'text' | 'json', text: string): Json {
  return kind === 'text' ? text : (JSON.parse(text) as Json);
}

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
  /** The next slot; null for a paused schedule. */
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
