import { lineAt, type SourceFile, type Violation } from './source-tree.ts';

/** The page whose table says what `npm run env` sets, and whose heading begins that table. */
const VARIABLES_PAGE = 'docs/identity.md';
const VARIABLES_HEADING = 'What the examples use';
/** What a page of this folder goes on from. */
const QUICK_STARTS = 'docs/quickstarts/';
const OF_EVERY_SHELL: readonly string[] = ['PWD', 'HOME'];

/** One `sh` block of a page, and where it begins in it. */
interface Example {
  text: string;
  index: number;
}

/**
 * What is wrong with the examples of pages: a variable that neither `npm run env` nor the page sets, and that its text does not name as
 * `$NAME` either; `field` without its definition; `jq`, which nothing installs; an address of the service with another port than its own.
 */
export function brokenExamples(files: readonly SourceFile[], port: string): Violation[] {
  const pages = files.filter(({ path }) => /^(?:README|(?:docs|sdk)\/.*)\.md$/.test(path));
  const given = new Set([...OF_EVERY_SHELL, ...variablesOfExamples(files)]);
  const begin = pages.find(({ path }) => path === `${QUICK_STARTS}README.md`);
  const ofQuickStarts = new Set([...given, ...(begin === undefined ? [] : setBy(textOf(examplesOf(begin))))]);
  return pages.flatMap((page) => [
    ...unknownVariables(page, page.path.startsWith(QUICK_STARTS) ? ofQuickStarts : given),
    ...unknownPrograms(page),
    ...otherPorts(page, port),
  ]);
}

/** The variables that the page names as those of `npm run env`. */
export function variablesOfExamples(files: readonly SourceFile[]): string[] {
  const page = files.find(({ path }) => path === VARIABLES_PAGE)?.text ?? '';
  const section = page.split(/^#+ /m).find((text) => text.startsWith(VARIABLES_HEADING)) ?? '';
  return [...section.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
  );
}

function examplesOf({ text }: SourceFile): Example[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(({ index, 1: block = '' }) => ({ text: block, index }));
}

const textOf = (examples: readonly Example[]): string => examples.map(({ text }) => text).join('\n');

function setBy(text: string): string[] {
  return [...text.matchAll(/(?:^|[\s;&(])([A-Z][A-Z_]*)=/gm)].map(([, name = '']) => name);
}

function unknownVariables(page: SourceFile, given: ReadonlySet<string>): Violation[] {
  const known = new Set(given);
  const named = [...page.text.matchAll(/`\$([A-Z_]+)`/g)].map(([, name = '']) => name);
  for (const name of named) known.add(name);
  return examplesOf(page).flatMap(({ text, index }) => {
    for (const name of setBy(text)) known.add(name);
    const used = [...text.matchAll(/\$\{?([A-Z][A-Z_]*)(?!\w|:-)/g)].map(([, name = '']) => name);
    return [...new Set(used)]
      .filter((name) => !known.has(name))
      .map((name) => at(page, index, `uses $${name}, which neither npm run env nor the page sets`));
  });
}

function unknownPrograms(page: SourceFile): Violation[] {
  let isFieldKnown = false;
  return examplesOf(page).flatMap(({ text, index }) => {
    isFieldKnown ||= /^field\(\)/m.test(text);
    return [
      ...(/(?:^|[|(\s])jq\s/m.test(text) ? [at(page, index, 'uses jq: a member of a reply is taken by field')] : []),
      ...(/\bfield\s/.test(text) && !isFieldKnown
        ? [at(page, index, 'uses field, which the page does not define')]
        : []),
    ];
  });
}

function otherPorts(page: SourceFile, port: string): Violation[] {
  const addresses = page.text.matchAll(
    /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)\/(?:mcp|api|oauth|console|\.well-known)\b/g,
  );
  return [...addresses]
    .filter((match) => match[1] !== port)
    .map((match) => at(page, match.index, `names port ${match[1]}: the service listens on ${port}`));
}

function at({ path, text }: SourceFile, index: number, message: string): Violation {
  return { path, line: lineAt(text, index), message };
}
