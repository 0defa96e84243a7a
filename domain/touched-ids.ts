import { ID_PREFIXES } from './ids.ts';

/** The records whose ids a log line carries, by the name that the line gives them. */
const LOGGED = {
  invocationId: 'invocation',
  effectId: 'effect',
  approvalId: 'approval',
  messageId: 'message',
  previewId: 'preview',
  attemptId: 'attempt',
} as const;

type LoggedName = keyof typeof LOGGED;

export type TouchedIds = { readonly [Name in LoggedName]?: string } & {
  /** How many records of a kind the object's list names, where it has one. The id beside it is the first of them. */
  readonly [Count in `${LoggedName}Count`]?: number;
};

const NAMES = new Map(Object.entries(LOGGED).map(([name, kind]) => [ID_PREFIXES[kind] as string, name]));
const ID = /^([a-z]{3})_[0-9A-Za-z]{22}$/;
/** Where a record's own id, or that of a neighbour, stands. Nothing else of an object is looked at: it may be a caller's. */
const MEMBERS = ['id', ...Object.keys(LOGGED)];

/** The ids among an object's own members, by their form: no value of a caller reaches a log. */
export function touchedIds(...objects: readonly unknown[]): TouchedIds {
  const found: Record<string, string | number> = {};
  for (const object of objects) {
    if (Array.isArray(object)) {
      for (const [name, { first, count }] of idsOfList(object)) {
        found[name] ??= first;
        found[`${name}Count`] = count;
      }
    } else {
      for (const [name, id] of idsIn(object)) found[name] ??= id;
    }
  }
  return found;
}

/** The result of a batch's item that goes to a URL group is a list of its own. */
function idsOfList(list: readonly unknown[]): Map<string, { first: string; count: number }> {
  const found = new Map<string, { first: string; count: number }>();
  for (const [name, id] of list.flat().flatMap((item) => [...idsIn(item)])) {
    const known = found.get(name);
    if (known === undefined) found.set(name, { first: id, count: 1 });
    else known.count++;
  }
  return found;
}

/** The first id of each kind that the members of one object name. */
function idsIn(object: unknown): Map<string, string> {
  const found = new Map<string, string>();
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return found;
  for (const member of MEMBERS) {
    const value: unknown = Object.hasOwn(object, member) ? (object as Record<string, unknown>)[member] : undefined;
    const name = typeof value === 'string' ? nameOf(value) : undefined;
    if (name !== undefined && !found.has(name)) found.set(name, value as string);
  }
  return found;
}

/** The same of a workflow's id: `invocation/inv_…`, `replay/att_…`. */
export function idsOfWorkflow(workflowId: string): TouchedIds {
  return touchedIds({ id: workflowId.slice(workflowId.indexOf('/') + 1) });
}

function nameOf(value: string): string | undefined {
  const prefix = ID.exec(value)?.[1];
  return prefix === undefined ? undefined : NAMES.get(prefix);
}
