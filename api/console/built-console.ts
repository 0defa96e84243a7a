import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CONSOLE_PATH } from '../../domain/console-links.ts';
import type { Encoding } from '../../domain/docs/negotiation.ts';

/** The build writes there. Tests run the source, after the build. */
const BUILT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : '../../console/', import.meta.url),
);
const ENTRY = 'main.tsx';
const SUFFIX: Record<Encoding, string> = { br: '.br', gzip: '.gz', identity: '' };

/** One line of Vite's manifest. */
interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

/** What the shell names: the paths of the entry, of what it imports, and of the style sheets. */
export interface EntryFiles {
  script: string;
  preloads: string[];
  sheets: string[];
}

/** The console as `npm run build` left it. Files are read once and kept: they are small, and their names change with their content. */
export class BuiltConsole {
  readonly entry: EntryFiles;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, Buffer>();

  constructor(folder: string = BUILT) {
    const manifest = JSON.parse(readFileSync(`${folder}manifest.json`, 'utf8')) as Record<string, Chunk>;
    this.entry = entryFiles(manifest);
    this.#names = new Set(readdirSync(`${folder}assets`));
    this.#folder = folder;
  }

  readonly #folder: string;

  /** Null when the build made no file of this name. */
  asset(name: string, encoding: Encoding): Buffer | null {
    const stored = `${name}${SUFFIX[encoding]}`;
    if (!this.#names.has(name) || !this.#names.has(stored)) return null;
    const known = this.#read.get(stored);
    if (known !== undefined) return known;
    const content = readFileSync(`${this.#folder}assets/${stored}`);
    this.#read.set(stored, content);
    return content;
  }
}

function entryFiles(manifest: Readonly<Record<string, Chunk>>): EntryFiles {
  const seen = new Set<string>();
  const visit = (key: string): Chunk[] => {
    const chunk = manifest[key];
    if (chunk === undefined || seen.has(key)) return [];
    seen.add(key);
    return [chunk, ...(chunk.imports ?? []).flatMap(visit)];
  };
  const [entry, ...imported] = visit(ENTRY);
  if (entry === undefined) throw new Error(`the manifest of the console lacks ${ENTRY}: run npm run build`);
  // Without code splitting of styles there is one sheet, which the manifest names on its own.
  const sheets = Object.values(manifest).flatMap(({ file, css = [] }) => [
    ...css,
    ...(file.endsWith('.css') ? [file] : []),
  ]);
  return {
    script: pathOf(entry.file),
    preloads: imported.map(({ file }) => pathOf(file)),
    sheets: [...new Set(sheets)].map(pathOf),
  };
}

const pathOf = (file: string): string => `${CONSOLE_PATH}/${file}`;
