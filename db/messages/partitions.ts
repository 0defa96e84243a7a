import { LRUCache } from 'lru-cache';
import { idFloor, isId, timeOfId } from '../../domain/ids.ts';
import { MESSAGE_RETENTIONS, type MessageRetention } from '../../domain/plans.ts';

const KEPT = 'kept_';

/**
 * The classes in which the content and the attempts of a message of this class can be: their days are fewer than the message's, so they
 * may move to the kept class earlier or later than the message does.
 */
export function classesOf(retention: string): string[] {
  const named = retention.startsWith(KEPT) ? retention.slice(KEPT.length) : retention;
  return [named, KEPT + named];
}

const WORKSPACES_MAX = 10_000;

/**
 * The retention class of the last message of each workspace in this process. A statement that names the class opens one partition, and
 * not one in each class. The plan of a workspace seldom changes; a message of another class is still found, by a second look.
 */
export class LikelyClasses {
  readonly #classes = new LRUCache<string, string>({ max: WORKSPACES_MAX });

  of(workspaceId: string): string | null {
    return this.#classes.get(workspaceId) ?? null;
  }

  note(workspaceId: string, retention: string): void {
    const [named = retention] = classesOf(retention);
    this.#classes.set(workspaceId, named);
  }

  forget(workspaceId: string): void {
    this.#classes.delete(workspaceId);
  }
}

const DAY_MS = 86_400_000;
/** How long a range of ids is, as `message_retention_classes()` has it. */
const RANGE_MS: Readonly<Record<MessageRetention, number>> = { week: DAY_MS, month: 7 * DAY_MS, quarter: 7 * DAY_MS };
/** A Monday, from which the ranges count. */
const RANGES_BEGIN_MS = Date.UTC(2024, 0, 1);
/**
 * A younger message is in its range with everything that belongs to it: after a day the first rows may be moved out of a partition
 * (`keep_live_messages`). The rest of the day is for clocks that differ.
 */
const YOUNG_MS = DAY_MS - 4 * 3_600_000;
/** Those of a day, and more. */
const PARTITIONS_MAX = 16;

/** A statement's text. `within` is the condition on the id (such as `m.id`) of a table that holds rows of messages. */
export type Template = (within: (idColumn: string) => string) => string;

/**
 * A range of messages of one class, which a statement names in its text. While it is the values that decide which partitions a statement
 * touches, PostgreSQL plans it anew for each execution; over tables with fifteen indexes that takes longer than to execute it. With the
 * class and the range as constants a connection has one plan after a few executions.
 */
class Partition {
  private readonly texts = new Map<Template, string>();
  private readonly within: (idColumn: string) => string;

  constructor(retention: MessageRetention, beginsMs: number) {
    const [lower, upper] = [beginsMs, beginsMs + RANGE_MS[retention]].map((atMs) => idFloor('message', atMs));
    this.within = (idColumn) => {
      const retentionColumn = idColumn.replace(/\w+$/, 'retention');
      return `${retentionColumn} = '${retention}' AND ${idColumn} >= '${lower}' AND ${idColumn} < '${upper}'`;
    };
  }

  /** Give it constants: each is made into a text once. */
  text(template: Template): string {
    const known = this.texts.get(template);
    if (known !== undefined) return known;
    const text = template(this.within);
    this.texts.set(template, text);
    return text;
  }
}
export type { Partition };

const partitions = new LRUCache<string, Partition>({ max: PARTITIONS_MAX });

/** Null of a message that may be in several partitions: it is found by its class alone (`classesOf`). */
export function partitionOf({ id, retention }: { id: string; retention: string }): Partition | null {
  const known = MESSAGE_RETENTIONS.find((one) => one === retention);
  if (known === undefined || !isId('message', id)) return null;
  const madeAtMs = timeOfId(id);
  if (madeAtMs < Date.now() - YOUNG_MS) return null;
  const ranges = Math.floor((madeAtMs - RANGES_BEGIN_MS) / RANGE_MS[known]);
  const name = `${known}/${ranges}`;
  const partition = partitions.get(name) ?? new Partition(known, RANGES_BEGIN_MS + ranges * RANGE_MS[known]);
  partitions.set(name, partition);
  return partition;
}
