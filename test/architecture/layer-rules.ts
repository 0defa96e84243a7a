import { LAYERS } from './layers.ts';
import { parseModule } from './parse-module.ts';
import { typescriptOf, type SourceFile, type Violation } from './source-tree.ts';

const LIST = 'LAYERS of test/architecture/layers.ts';
type Layers = Record<string, readonly (readonly [name: string, why: string])[]>;

/** What stands in a folder of the list: an area, or a file that has a line of its own. Null for every other file, which may import no area. */
function placeOf(path: string, layers: Layers): { folder: string; name: string | null; rank: number } | null {
  const [folder = '', name = '', below] = path.split('/');
  const lines = layers[folder];
  if (lines === undefined || name === '') return null;
  const rank = lines.findIndex(([listed]) => listed === name);
  return { folder, name: below === undefined && rank === -1 ? null : name, rank };
}

/**
 * Areas that import one above them, or that the list does not have; and lines of what is gone. An import of a type counts: who reads an
 * area has to read what its types come from.
 */
export function checkLayers(files: readonly SourceFile[], layers: Layers = LAYERS): Violation[] {
  const sources = typescriptOf(files);
  return [...sources.flatMap((file) => checkFile(file, layers)), ...staleLines(sources, layers)];
}

function checkFile(file: SourceFile, layers: Layers): Violation[] {
  const from = placeOf(file.path, layers);
  if (from === null) return [];
  const { path } = file;
  if (from.name !== null && from.rank === -1) {
    const message = `is in ${from.folder}/${from.name}, which is no area of it: use the name that the area has in the other folders, or give it a line in ${LIST}`;
    return [{ path, line: 1, message }];
  }
  return parseModule(file).imports.flatMap(({ file: imported, line }) => {
    const to = imported === null ? null : placeOf(imported, layers);
    if (to === null || to.folder !== from.folder || to.rank <= from.rank) return [];
    const who = from.name === null ? 'a file outside the areas' : from.name;
    const message =
      `imports ${imported}, but ${who} stands below ${to.name} in ${LIST}: move what both need to the lower area, hand it in as an argument, ` +
      'or move the caller up; a line changes its place only where every import agrees';
    return [{ path, line, message }];
  });
}

function staleLines(sources: readonly SourceFile[], layers: Layers): Violation[] {
  return Object.entries(layers).flatMap(([folder, lines]) =>
    lines
      .filter(
        ([name]) => !sources.some(({ path }) => path === `${folder}/${name}` || path.startsWith(`${folder}/${name}/`)),
      )
      .map(([name]) => ({
        path: 'test/architecture/layers.ts',
        line: 1,
        message: `names ${folder}/${name}, which is gone: remove its line`,
      })),
  );
}
