import { digestOf } from '../canonical-json.ts';
import type { GovernanceWarning } from '../governance-warnings.ts';
import type { Json } from '../json.ts';
import type { PolicyDocument } from './document.ts';

/** The most policies that an environment holds: every invocation is evaluated against all of them. */
export const LIVE_POLICIES_MAX = 100;
export const LIVE_RULES_MAX = 1_000;
export const LIVE_POLICIES_BYTES_MAX = 1_048_576;
/** Length of all conditions together. A process compiles them before their first evaluation: in turns, about a second of work. */
export const LIVE_CONDITION_CHARACTERS_MAX = 100_000;

export interface LivePolicy {
  id: string;
  name: string;
  enabled: boolean;
  digest: string;
  document: PolicyDocument;
}

/** What applying files does to one policy: they are matched by name. */
export interface FileChange {
  name: string;
  action: 'create' | 'update' | 'delete' | 'none';
  policyId: string | null;
  before: PolicyDocument | null;
  after: PolicyDocument | null;
}

export interface FilePlan {
  changes: FileChange[];
  /** About the state of the policies; `documentWarnings` looks into the documents. */
  warnings: GovernanceWarning[];
  unchanged: boolean;
}

export function documentDigestOf(document: PolicyDocument): string {
  // Parsed from JSON or YAML by its schema, every member of it.
  return digestOf(document as unknown as Json);
}

/** Compares files with the existing policies. `prune` deletes those that no file names. Files do not enable. */
export function planFiles(live: readonly LivePolicy[], documents: readonly PolicyDocument[], prune: boolean): FilePlan {
  const byName = new Map(live.map((policy) => [policy.name, policy]));
  const wanted = new Set(documents.map(({ name }) => name));
  const others = live.filter(({ name }) => !wanted.has(name));
  const changes = [
    ...documents.map((document) => changeOf(byName.get(document.name), document)),
    ...(prune ? others.map(deletionOf) : []),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const unchanged = changes.every(({ action }) => action === 'none');
  const places = documents.map(({ name }, index): [string, string] => [name, `files[${index}].content.name`]);
  const warnings = stateWarnings(live, new Map(places), { path: 'files', deleted: prune ? others : [] });
  return { changes, warnings, unchanged };
}

function changeOf(before: LivePolicy | undefined, after: PolicyDocument): FileChange {
  const { name } = after;
  if (before === undefined) return { name, action: 'create', policyId: null, before: null, after };
  const action = before.digest === documentDigestOf(after) ? 'none' : 'update';
  return { name, action, policyId: before.id, before: before.document, after };
}

function deletionOf({ id, name, document }: LivePolicy): FileChange {
  return { name, action: 'delete', policyId: id, before: document, after: null };
}

/** What a plan does not do. `places`: of the policies that it keeps. `others`: where the rest is missing. */
export function stateWarnings(
  live: readonly Pick<LivePolicy, 'name' | 'enabled'>[],
  places: ReadonlyMap<string, string>,
  others: { path: string; deleted: readonly { name: string }[] },
): GovernanceWarning[] {
  const deleted = new Set(others.deleted.map(({ name }) => name));
  return live.flatMap(({ name, enabled }): GovernanceWarning[] => {
    const path = places.get(name);
    if (path === undefined) {
      const message = `${name} is in no file and is left alone: prune deletes it`;
      return deleted.has(name) ? [] : [{ path: others.path, code: 'policy_left_alone', message }];
    }
    const message = `${name} is disabled and stays so: applying a file does not put it in force`;
    return enabled ? [] : [{ path, code: 'policy_disabled', message }];
  });
}

/** Digest of exactly what a plan will do, to which documents, on which revision. Applying the plan requires the same digest. */
export function planDigestOf(baseRevision: number, changes: readonly FileChange[]): string {
  const digestOrNull = (document: PolicyDocument | null): string | null =>
    document === null ? null : documentDigestOf(document);
  return digestOf({
    baseRevision,
    changes: changes.map(({ name, action, policyId, before, after }) => ({
      name,
      action,
      policyId,
      before: digestOrNull(before),
      after: digestOrNull(after),
    })),
  });
}
