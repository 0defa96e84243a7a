import { Context, heartbeat } from '@temporalio/activity';

/** How far an activity has started or signalled workflows. Kept in heartbeats, so that the next try continues there. */
export class Progress {
  readonly #done: Set<string>;
  readonly #keep: (done: readonly string[]) => void;

  constructor(done: readonly string[] = [], keep: (done: readonly string[]) => void = () => undefined) {
    this.#done = new Set(done);
    this.#keep = keep;
  }

  /** The ids that are not done, in their order. */
  left(ids: readonly string[]): string[] {
    return ids.filter((id) => !this.#done.has(id));
  }

  note(id: string): void {
    this.#done.add(id);
    this.#keep([...this.#done]);
  }
}

const details = new WeakMap<Context, readonly string[]>();

/** The progress of the activity that runs, with what its earlier tries have done. */
export function activityProgress(): Progress {
  const context = Context.current();
  const before: unknown = context.info.heartbeatDetails;
  const done = Array.isArray(before) ? before.filter((id) => typeof id === 'string') : [];
  const keep = (ids: readonly string[]): void => {
    details.set(context, ids);
    heartbeat(ids);
  };
  // A beat before the first note must not forget what the tries before have done.
  if (done.length > 0) details.set(context, done);
  return new Progress(done, keep);
}

/** A sign of life, which keeps the progress of the activity. */
export function beat(): void {
  const ids = details.get(Context.current());
  if (ids === undefined) heartbeat();
  else heartbeat(ids);
}
