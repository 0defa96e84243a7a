const NAMES_COMPARED_MAX = 500;
const CHARACTERS_COMPARED_MAX = 64;
/** A third of the characters may differ, so that short names do not match by chance. */
const DIFFERENCE_SHARE = 3;

/** The name that was probably meant; null where none is near. */
export function nearName(name: string, names: readonly string[]): string | null {
  const wanted = name.toLowerCase();
  if (wanted.length > CHARACTERS_COMPARED_MAX) return null;
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / DIFFERENCE_SHARE)) + 1;
  for (const candidate of names.slice(0, NAMES_COMPARED_MAX)) {
    if (candidate.length > CHARACTERS_COMPARED_MAX) continue;
    const difference = differenceOf(wanted, candidate.toLowerCase());
    if (difference >= least) continue;
    nearest = candidate;
    least = difference;
  }
  return nearest;
}

/** The Levenshtein distance: how many characters to add, take away or replace. */
function differenceOf(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
