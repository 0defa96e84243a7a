import type { ConsoleTopic } from '../../domain/console-topics.ts';
import { isConsoleTopic } from '../../domain/console-topics.ts';
import type { Announcement } from './announcer.ts';
import { CHANNELS } from './notification-listener.ts';

interface Announces {
  announce(announcement: Announcement): void;
}

/** What a transaction of an environment has of it. */
interface OfEnvironment extends Announces {
  readonly tenant: { readonly workspaceId: string; readonly environmentId: string };
}

/** A record, or with a null id records of this kind, that somebody may be looking at. */
export interface ChangedRecord {
  workspaceId: string;
  /** Null for what belongs to the workspace as a whole. */
  environmentId: string | null;
  topic: ConsoleTopic;
  id: string | null;
}

/** Tells the streams of the console after the commit. Call it for changes that people make, and not on a hot path (docs/console-stream.md). */
export function recordChanged(tx: Announces, { workspaceId, environmentId, topic, id }: ChangedRecord): void {
  const payload = [workspaceId, environmentId ?? '', topic, id ?? ''].join('/');
  tx.announce({ channel: CHANNELS.recordChanged, payload });
}

/** Returns null for what a process of another version says. An id may hold slashes. */
export function changedRecordOf(payload: string): ChangedRecord | null {
  const [workspaceId = '', environmentId = '', topic = '', ...id] = payload.split('/');
  if (!isConsoleTopic(topic)) return null;
  return { workspaceId, environmentId: environmentId || null, topic, id: id.join('/') || null };
}

/** The payload of a channel that names a record of an environment by its id. */
export function recordPayload({ tenant: { workspaceId, environmentId } }: OfEnvironment, id: string): string {
  return `${workspaceId}/${environmentId}/${id}`;
}

export function recordIdOf(payload: string): string {
  return payload.slice(payload.lastIndexOf('/') + 1);
}

/** The record that such a payload names, as one of this kind. Null for a payload without its environment. */
export function recordOf(payload: string, topic: ConsoleTopic): ChangedRecord | null {
  const [workspaceId = '', environmentId = '', id = ''] = payload.split('/');
  return id === '' ? null : { workspaceId, environmentId, topic, id };
}
