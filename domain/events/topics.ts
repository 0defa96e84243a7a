import { isId } from '../ids.ts';
import { jsonBytes } from '../json.ts';
import { SERVICE_TOPIC } from './events.ts';

/** The limits of topics, subscriptions and events: docs/events.md, "Limits". */
export const TOPIC_NAME_CHARACTERS_MAX = 100;
export const TOPIC_DESCRIPTION_CHARACTERS_MAX = 500;
export const TOPICS_PER_ENVIRONMENT_MAX = 1_000;
export const SUBSCRIPTIONS_PER_TOPIC_MAX = 10_000;
export const EVENT_TYPES_PER_SUBSCRIPTION_MAX = 50;
/** Each subscription that an event matches gets a copy. */
export const EVENT_DATA_BYTES_MAX = 256 * 1024;
/** Every secret adds two signatures to every delivery, and receivers limit the size of headers. */
export const RETIRING_SECRETS_MAX = 5;

const TOPIC_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
export const EVENT_TYPE = /^[a-zA-Z0-9_.-]{1,128}$/;
/** The type of an event that is published as a message and names none. */
export const EVENT_TYPE_DEFAULT = 'message';
/** A type, `*`, or a prefix and `.*`. */
export const EVENT_TYPE_PATTERN = /^(\*|[a-zA-Z0-9_.-]{1,128}|[a-zA-Z0-9_.-]{1,126}\.\*)$/;
/** An id that a publisher gives its event: it can stand in a path as it is. */
const OWN_EVENT_ID = /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}$/;
/** The prefix of the ids of schedules' events. A publisher who could use such an id first would take the place of that firing. */
const EVENT_ID_OF_SCHEDULE = /^sch_/;

/** Whether data, a JSON value, is small enough to be copied to every subscription. */
export function dataBytesIssue(data: unknown): string | null {
  const bytes = jsonBytes(data);
  if (bytes <= EVENT_DATA_BYTES_MAX) return null;
  return `is ${bytes} bytes of JSON; at most ${EVENT_DATA_BYTES_MAX} are delivered. Send a link to the rest`;
}

/** A topic is referred to by its id or its name: a name in the form of an id would be ambiguous. */
export function topicNameIssue(name: string): string | null {
  if (!TOPIC_NAME.test(name)) {
    return `must be 1 to ${TOPIC_NAME_CHARACTERS_MAX} letters, digits and "_.-", and begin with a letter or a digit`;
  }
  if (name === SERVICE_TOPIC) return 'is the reserved topic of platform events: subscribe to it, and it is there';
  return isId('topic', name) ? 'must not have the form of an id (top_…)' : null;
}

/** An event is read by the service's id for it or by its publisher's. */
export function ownEventIdIssue(id: string): string | null {
  if (!OWN_EVENT_ID.test(id)) {
    return 'must be 1 to 128 letters, digits and "_.:@-", and begin with a letter or a digit';
  }
  if (EVENT_ID_OF_SCHEDULE.test(id)) return 'must not begin with "sch_", as the ids of the events of schedules do';
  return isId('event', id) ? 'must not have the form of an id of the service (evt_…)' : null;
}
