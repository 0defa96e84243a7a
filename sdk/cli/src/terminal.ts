export interface Terminal {
  print(text: string): void;
  printError(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  readInput(): Promise<string>;
  /** Reads one line without echo. Null when nobody can be asked. */
  askSecretly: ((question: string) => Promise<string>) | null;
  ask: ((question: string) => Promise<string>) | null;
  /** Aborted by Ctrl-C, with an `InterruptedError`. */
  signal: AbortSignal;
}

/** Control characters move the cursor or colour text, formatting ones hide or reverse it: both are shown by number. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Makes foreign text safe to print. */
export function plain(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - cell.length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function namedFilters(filters: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(filters).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${name} ${/^[\w.:*-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`],
  );
}

/** Distinguishes "nothing matches" from "nothing exists". */
export function matched(none: string, filters: Readonly<Record<string, string | undefined>>, noneYet: string): string {
  const named = namedFilters(filters);
  return named.length === 0 ? noneYet : `${none} matches ${plain(named.join(' '))}.`;
}
