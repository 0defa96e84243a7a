const SUGGESTIONS_MAX = 3;
/** A schema of a stranger may have many long names: what is beyond is not compared. */
const NAMES_COMPARED_MAX = 2_000;
const CHARACTERS_COMPARED_MAX = 64;

/** The names that are most like one that does not exist, the nearest first; none where none is near enough to be meant. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  if (wanted.length > CHARACTERS_COMPARED_MAX) return [];
  const mostEdits = Math.max(1, Math.floor(wanted.length / 4));
  return names
    .slice(0, NAMES_COMPARED_MAX)
    .map((name) => ({ name, edits: editsBetween(wanted.toLowerCase(), name.toLowerCase(), mostEdits) }))
    .filter(({ edits }) => edits <= mostEdits)
    .toSorted((left, right) => left.edits - right.edits || (left.name < right.name ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
}

/** The end of a message about a name that does not exist: `; did you mean amount?`, or nothing. */
export function meantText(wanted: string, names: Iterable<string>): string {
  // A name of one or two letters is near every other short one.
  const near = wanted.length < 3 ? [] : nearNames(wanted, [...new Set(names)]);
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

/** The characters to insert, delete, replace or swap with their neighbour, or one more than `most` where they are more. */
function editsBetween(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, count) => count);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    if (Math.min(...current) > most) return most + 1;
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? most + 1;
}
