import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the pages of the documentation have their pictures. */
export const PICTURES_PATH = '/docs/images/';

/** The build copies them. Tests run the source, after the build. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/docs/images/' : '../../docs/images/', import.meta.url),
);
const TYPES: Readonly<Record<string, string>> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };

export interface Picture {
  type: string;
  bytes: Buffer;
}

/** The pictures of the documentation by their path. Read once and kept: there are few, and they are small. */
export class Pictures {
  #names: ReadonlySet<string> | null = null;
  readonly #read = new Map<string, Picture>();

  at(path: string): Picture | null {
    const name = path.slice(PICTURES_PATH.length);
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    this.#names ??= new Set(readdirSync(FOLDER));
    if (!path.startsWith(PICTURES_PATH) || type === undefined || !this.#names.has(name)) return null;
    const picture = this.#read.get(name) ?? { type, bytes: readFileSync(`${FOLDER}${name}`) };
    this.#read.set(name, picture);
    return picture;
  }
}
