import type { RaisedEventType } from '../../domain/events/event-types.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { isId } from '../../domain/ids.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LISTED_MEMBER_BYTES_MAX, type Shortened } from '../columns.ts';

/** An event of the outbox, with its payload. */
export interface RaisedEvent {
  /** A UUID: its place in the outbox. */
  id: string;
  type: RaisedEventType;
  data: JsonObject;
  occurredAt: Date;
}

export interface Publishing {
  type: string;
  id: string | null;
}

/** An event whose topic is not deleted, as the API shows it. */
export interface EventRecord {
  id: string;
  /** Its publisher's id for it, or the same as `id`: what its deliveries carry. */
  publicId: string;
  topicId: string;
  topic: string;
  type: string;
  data: Json;
  occurredAt: Date;
  status: 'fanning_out' | 'fanned_out' | 'failed';
  /** Messages that the fan-out has made. */
  deliveryCount: number;
  error: { code: string; message: string } | null;
  publishedBy: Publishing;
  createdAt: Date;
  fannedOutAt: Date | null;
}

export type ListedEventRecord = Omit<EventRecord, 'data'> & { data: Json | Shortened };

/** For LIVE, without `data`. */
const COLUMNS = `v.id, v.public_id AS "publicId", v.topic_id AS "topicId", t.name AS topic, v.type, v.occurred_at AS "occurredAt", v.status,
  v.deliveries AS "deliveryCount", v.error, v.published_by AS "publishedBy", v.created_at AS "createdAt", v.fanned_out_at AS "fannedOutAt"`;
const LIVE = 'events v JOIN topics t ON t.id = v.topic_id AND t.deleted_at IS NULL';
/** A `json` column is kept as its publisher's text, and a large one is cut as text. */
const SHORT_DATA = `CASE WHEN octet_length(v.data::text) <= ${LISTED_MEMBER_BYTES_MAX} THEN v.data
  ELSE shortened_text(v.data::text, ${LISTED_MEMBER_BYTES_MAX})::json END AS data`;

/** An event by its id, or by its publisher's id for it. */
export async function getEvent(tx: EnvironmentTransaction, ref: string): Promise<EventRecord | null> {
  const is = isId('event', ref) ? 'v.id = ?' : 'v.environment_id = current_environment_id() AND v.public_id = ?';
  return tx.row<EventRecord>({ variantsOf: 'get_event' }, `SELECT ${COLUMNS}, v.data FROM ${LIVE} WHERE ${is}`, [ref]);
}

export interface EventFilter extends Range {
  topicId?: string | undefined;
  type?: string | undefined;
  status?: EventRecord['status'] | undefined;
  /** Exclusive. */
  startDate?: Date | undefined;
  /** Exclusive. */
  endDate?: Date | undefined;
}

/** One page, newest first. */
export async function listEvents(tx: EnvironmentTransaction, filter: EventFilter): Promise<Page<ListedEventRecord>> {
  return pageOf(tx, {
    name: 'list_events',
    columns: `${COLUMNS}, ${SHORT_DATA}`,
    from: LIVE,
    where: 'v.environment_id = current_environment_id()',
    filters: {
      topicId: 'v.topic_id = :topicId',
      type: 'v.type = :type',
      status: 'v.status = :status',
      startDate: 'v.created_at > :startDate',
      endDate: 'v.created_at < :endDate',
    },
    order: 'v.created_at DESC, v.id DESC',
    asked: filter,
  });
}
