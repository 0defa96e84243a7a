import type { AnyRoute } from '../../../api/http/define-route.ts';
import type { Tenant } from '../../../db/client.ts';
import type { Role } from '../../../domain/roles.ts';
import type { CallOptions, CallResult, TestApi } from '../harness/test-api.ts';
import type { TestPerson } from '../harness/people.ts';

export interface FixtureRequest {
  /** Path parameters that name rows of the development environment. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** A body that is no JSON; its Content-Type is among the headers. */
  raw?: Uint8Array;
  /** Replaces the credential, for a route that needs a special one. */
  headers?: Record<string, string>;
}

/** One API and the credentials that the suites use. An area's fixtures plant their rows in its development environment. */
export interface World {
  /** The API that the suites call. */
  api: TestApi;
  /** A key of the development environment with every scope. */
  key: string;
  /** Keys with every scope that must see none of these rows: one of another environment, one of another workspace. */
  strangers: { who: string; key: string }[];
  /** A request that the route answers with success, for rows that exist. */
  requestFor(route: AnyRoute): Promise<FixtureRequest>;
  /** Makes one more row that the list's request returns. */
  plantRow(route: AnyRoute, request: FixtureRequest): Promise<void>;
  /** Sends it with the route's own method, and by default without a credential. */
  send(route: AnyRoute, request: FixtureRequest, options?: CallOptions): Promise<CallResult>;
  /** As `send`, with a credential that may do anything. */
  sendAllowed(route: AnyRoute, request: FixtureRequest, options?: CallOptions): Promise<CallResult>;
  /** The headers of a credential that may do anything on this route: a key, or an owner's session if the route takes no key. */
  credentialHeaders(route: AnyRoute): Promise<Record<string, string>>;
  /** A new user, signed in, with this role in the workspace of the rows or in the other one. */
  person(role: Role, workspace?: 'own' | 'other'): Promise<TestPerson>;
  /**
   * The headers of such a session of a new user with this role in the workspace of the rows, or in the other one; for a mutation by our own
   * page.
   */
  sessionHeaders(role: Role, workspace?: 'own' | 'other'): Promise<Record<string, string>>;
  /** The development environment of another workspace, whose plan has a rate limit, and a key of it with every scope. */
  otherTenant: Tenant;
  otherKey: string;
  /** A key of the development environment with every scope but this one. */
  keyWithout(scope: string): Promise<string>;
  /** The target of planted actions and messages. */
  targetUrl: string;
}

/** About the member who asks: a session calls it, and no key. */
export function isMembersOwn(route: AnyRoute): boolean {
  return route.of === 'environment' && route.needsUser === true;
}

export function pathOf(route: AnyRoute, { params = {}, query = {} }: FixtureRequest): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'missing'));
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}
