/** What follows one segment of a path. */
interface Place<Found> {
  literals: Map<string, Place<Found>>;
  /** Whatever the segment is. */
  parameter: Place<Found> | null;
  ends: { names: readonly string[]; found: Found } | null;
}

const newPlace = <Found>(): Place<Found> => ({ literals: new Map(), parameter: null, ends: null });

/**
 * Finds what answers a path, whatever the number of paths. The more concrete path comes first: `/actions/invocations` is never read as an
 * action's name (OpenAPI 3.1, "Paths Object": concrete paths match before templated ones). Upper and lower case differ.
 */
export class PathTable<Found> {
  readonly #root = newPlace<Found>();

  /** What stands at a path such as `/api/v2/secrets/{name}`: `make` makes it where there is nothing. */
  at(path: string, make: () => Found): Found {
    const names: string[] = [];
    let place = this.#root;
    for (const segment of path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next: Place<Found> = place.literals.get(segment) ?? newPlace();
        place.literals.set(segment, next);
        place = next;
      } else {
        names.push(name);
        place = place.parameter ??= newPlace();
      }
    }
    place.ends ??= { names, found: make() };
    if (place.ends.names.join() !== names.join()) throw new Error(`${path} is there with other names of parameters`);
    return place.ends.found;
  }

  /** Null where nothing answers the path. Its parameters are decoded, once. A slash at the end changes nothing. */
  find(path: string): { found: Found; params: Record<string, string> } | null {
    const segments = path.slice(1).split('/');
    if (segments.length > 1 && segments.at(-1) === '') segments.pop();
    const values: string[] = [];
    const ends = endOf(this.#root, segments, 0, values);
    if (ends === null) return null;
    const params = ends.names.map((name, index) => [name, decoded(values[index] ?? '')]);
    return { found: ends.found, params: Object.fromEntries(params) as Record<string, string> };
  }
}

/** A literal segment counts before a parameter, from the left. `values` are those of the parameters. */
function endOf<Found>(
  place: Place<Found>,
  segments: readonly string[],
  at: number,
  values: string[],
): Place<Found>['ends'] {
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
