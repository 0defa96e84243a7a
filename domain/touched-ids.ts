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

export type TouchedIds = { readonly [Name in keyof typeof LOGGED]?: string };

const NAMES = new Map(Object.entries(LOGGED).map(([name, kind]) => [ID_PREFIXES[kind] as string, name]));
const ID = /^([a-z]{3})_[0-9A-Za-z]{22}$/;
/** Where a record's own id, or that of a neighbour, stands. Nothing else of an object is looked at: it may be a caller's. */
const MEMBERS = ['id', ...Object.keys(LOGGED)];

/**
 * The ids that an object names in its own members: a path's parameters, a reply's data, a workflow's input. What does not have
 * the form of an id of ours is left out, so that no value of a caller reaches a log.
 */
export function touchedIds(...objects: readonly unknown[]): TouchedIds {
  const found: Record<string, string> = {};
  for (const object of objects) {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) continue;
    for (const member of MEMBERS) {
      const value: unknown = Object.hasOwn(object, member) ? (object as Record<string, unknown>)[member] : undefined;
      const name = typeof value === 'string' ? nameOf(value) : undefined;
      if (name !== undefined) found[name] ??= value as string;
    }
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
