import type { PlatformEventType } from '../../domain/events/event-types.ts';
import type { JsonObject } from '../../domain/json.ts';

/** A platform event in the outbox. */
export interface RaisedEvent {
  /** A UUID: its place in the outbox. */
  id: string;
  type: PlatformEventType;
  data: JsonObject;
  occurredAt: Date;
}

export interface Publishing {
  type: string;
  id: string | null;
}
