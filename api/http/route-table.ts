import type { AnyRoute, Method } from './define-route.ts';

/** The routes of one path, by method. */
export type RoutesOfPath = ReadonlyMap<Method, AnyRoute>;

/** What follows one segment of a path. */
interface Place {
  literals: Map<string, Place>;
  /** Whatever the segment is. */
  parameter: Place | null;
  ends: { names: readonly string[]; routes: Map<Method, AnyRoute> } | null;
}

/**
 * Finds the routes of a path. The more concrete path comes first: `/actions/invocations` is never read as an action's name, also for a
 * method that only `/actions/{ref}` has (OpenAPI 3.1, "Paths Object": concrete paths match before templated ones).
 */
export class RouteTable {
  readonly #root = newPlace();
  readonly #ids = new Set<string>();

  constructor(routes: readonly AnyRoute[]) {
    for (const route of routes) this.#add(route);
  }

  /** The routes of a path with its parameters, decoded once; null where there is none. A slash at the end changes nothing. */
  find(path: string): { routes: RoutesOfPath; params: Record<string, string> } | null {
    const segments = path.slice(1).split('/');
    if (segments.length > 1 && segments.at(-1) === '') segments.pop();
    const values: string[] = [];
    const ends = endOf(this.#root, segments, 0, values);
    if (ends === null) return null;
    return {
      routes: ends.routes,
      params: Object.fromEntries(ends.names.map((name, index) => [name, decoded(values[index] ?? '')])),
    };
  }

  #add(route: AnyRoute): void {
    const names: string[] = [];
    let place = this.#root;
    for (const segment of route.path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) {
        names.push(name);
        place = place.parameter ??= newPlace();
        continue;
      }
      const next: Place = place.literals.get(segment) ?? newPlace();
      place.literals.set(segment, next);
      place = next;
    }
    place.ends ??= { names, routes: new Map() };
    const { ends } = place;
    if (this.#ids.has(route.id) || ends.routes.has(route.method) || ends.names.join() !== names.join()) {
      throw new Error(`route ${route.id} is declared twice, or its path is with other names of parameters`);
    }
    this.#ids.add(route.id);
    ends.routes.set(route.method, route);
  }
}

const newPlace = (): Place => ({ literals: new Map(), parameter: null, ends: null });

/** A literal segment counts before a parameter, from the left. `values` are those of the parameters. */
function endOf(place: Place, segments: readonly string[], at: number, values: string[]): Place['ends'] {
  const segment = segments[at];
  if (segment === undefined) return place.ends;
  const literal = place.literals.get(segment);
  const found = literal === undefined ? null : endOf(literal, segments, at + 1, values);
  if (found !== null || place.parameter === null || segment === '') return found;
  values.push(segment);
  const below = endOf(place.parameter, segments, at + 1, values);
  if (below === null) values.pop();
  return below;
}

/** What cannot be decoded stays as it was sent. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
