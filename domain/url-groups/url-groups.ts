import { isId } from '../ids.ts';

/** The limits of URL groups: docs/url-groups.md, "Limits". */
export const GROUP_NAME_CHARACTERS_MAX = 100;
export const ENDPOINT_NAME_CHARACTERS_MAX = 100;
export const ENDPOINT_RETRIES_MAX = 10;
/** A publish to a group makes a message for each endpoint in one transaction. */
export const ENDPOINTS_PER_GROUP_MAX = 100;
export const GROUPS_PER_ENVIRONMENT_MAX = 1_000;

/** `urlGroup` of a publish request is an id or a name: a name in the form of an id would be ambiguous. */
export function groupNameIssue(name: string): string | null {
  return isId('urlGroup', name) ? 'must not have the form of an id (grp_…)' : null;
}
