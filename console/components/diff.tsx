/** Lines that differ, with those around them. Marked by a sign and an element, not by colour alone. */

type Line = readonly [sign: ' ' | '-' | '+', text: string];

const LINES_MAX = 2_000;
const AROUND = 3;

export function Diff({ before, after }: { before: string; after: string }) {
  if (before === after) return <p className="quiet">Nothing.</p>;
  const lines = around(differences(before.split('\n'), after.split('\n')));
  return (
    <pre className="diff" tabIndex={0} role="region" aria-label="differences">
      {lines.map(([sign, text], at) => {
        const Element = sign === '+' ? 'ins' : sign === '-' ? 'del' : 'span';
        return <Element key={at}>{`${sign} ${text}\n`}</Element>;
      })}
    </pre>
  );
}

/** The longest common subsequence of lines; what is too long for it is shown as a whole. */
function differences(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length > LINES_MAX || after.length > LINES_MAX) {
    return [...before.map((text): Line => ['-', text]), ...after.map((text): Line => ['+', text])];
  }
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [left, right] = [before[row], after[column]];
    if (left !== undefined && left === right) {
      lines.push([' ', left]);
      row++;
      column++;
    } else if (right !== undefined && (left === undefined || at(row, column + 1) > at(row + 1, column))) {
      lines.push(['+', right]);
      column++;
    } else {
      lines.push(['-', left ?? '']);
      row++;
    }
  }
  return lines;
}

function around(lines: readonly Line[]): Line[] {
  const near = new Set<number>();
  lines.forEach(([sign], at) => {
    if (sign !== ' ') for (let by = -AROUND; by <= AROUND; by++) near.add(at + by);
  });
  return lines.filter((_, at) => near.has(at));
}
