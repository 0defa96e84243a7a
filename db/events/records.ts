import type { RaisedEventType } from '../../domain/events/event-types.ts';
import type { JsonObject } from '../../domain/json.ts';

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
