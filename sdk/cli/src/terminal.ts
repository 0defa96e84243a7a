/** Where a command reads and writes: the process, or a test. */
export interface Terminal {
  print(text: string): void;
  printError(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** All of the standard input. */
  readInput(): Promise<string>;
  /** One line that is typed and not shown. Null where there is nobody to ask. */
  askSecretly: ((question: string) => Promise<string>) | null;
  ask: ((question: string) => Promise<string>) | null;
  /** Aborted by Ctrl-C, with an `InterruptedError`. */
  signal: AbortSignal;
}

/** Control characters move the cursor or colour the text, and formatting ones hide or reverse it: shown by their number instead. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text of somebody else, such that a terminal shows what it is. */
export function plain(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    character === '\n' ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns, as wide as their widest cell. */
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

/** The filters that were given, as options of a command line. */
export function namedFilters(filters: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(filters).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${name} ${/^[\w.:*-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`],
  );
}

/** What an empty list means: nothing that is like this, or nothing at all. */
export function matched(none: string, filters: Readonly<Record<string, string | undefined>>, noneYet: string): string {
  const named = namedFilters(filters);
  return named.length === 0 ? noneYet : `${none} matches ${plain(named.join(' '))}.`;
}
