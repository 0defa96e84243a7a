import { LISTED_MEMBER_BYTES_MAX } from '../../../db/columns.ts';
import type { TestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';

/** The export `lists` of `test/api/<area>/lists.ts`: one entry for each list of the area with a member that its schema does not bound. */
export type ListDeclarations = Readonly<Record<string, ListDeclaration>>;

export interface ListDeclaration {
  /** What the list shows whole, and what bounds it. The name of a member covers what it holds; the empty name covers the record. */
  whole?: Readonly<Record<string, string>>;
  /** What the list shows the beginning of. */
  cut?: CutMembers;
}

export interface CutMembers {
  /** Makes a row with these members large, the newest of the list. Answers the list's path parameters. */
  plant(service: TestService): Promise<Record<string, string>>;
  members: readonly CutMember[];
  /** The path whose `GET` answers the listed record whole. */
  record(listed: ListedRecord, params: Record<string, string>): string;
}

export interface CutMember {
  /** Path of the member in a record, dotted. */
  member: string;
  query?: Record<string, string>;
  /** Makes the planted row's large, where no request can. `$LARGE` is a JSON object that holds LARGE. */
  sql?: string;
}

/** The members of a listed record that name it. */
export interface ListedRecord {
  id: string;
  messageId: string;
  eventId: string;
  number: number;
  version: number;
}

export const LARGE = 'x'.repeat(2 * LISTED_MEMBER_BYTES_MAX);
/** What no list shows as a part of a value that is cut: a preview is of a quarter of what is listed whole. */
export const BEGINNING = LARGE.slice(0, LISTED_MEMBER_BYTES_MAX / 4 + 1);

/** The id of what was made; throws if it was refused. */
export function idOf({ status, text, json }: CallResult): string {
  if (status >= 300) throw new Error(`a row was refused with ${status}: ${text}`);
  return (json as { data: { id: string } }).data.id;
}
