import { parseModule, type ParsedModule } from './parse-module.ts';
import { typescriptOf, type SourceFile, type Violation } from './source-tree.ts';

/**
 * Files that import themselves by way of others. An import of a type counts: two files that need each other's types are one piece, which
 * neither reader nor test can take apart. Each cycle is reported once, at the import that closes it.
 */
export function findCycles(files: readonly SourceFile[]): Violation[] {
  const modules = new Map(typescriptOf(files).map((file) => [file.path, parseModule(file)]));
  const violations: Violation[] = [];
  const done = new Set<string>();
  const follow = (module: ParsedModule, way: readonly string[]): void => {
    for (const { file, line } of module.imports) {
      const next = file === null ? undefined : modules.get(file);
      if (next === undefined || done.has(next.path)) continue;
      const begins = way.indexOf(next.path);
      if (begins === -1) {
        follow(next, [...way, next.path]);
      } else {
        const cycle = [...way.slice(begins), next.path].join(' -> ');
        violations.push({
          path: module.path,
          line,
          message: `closes a cycle of imports (${cycle}): move what both need into a third file, or hand it in`,
        });
      }
    }
    done.add(module.path);
  };
  for (const module of modules.values()) if (!done.has(module.path)) follow(module, [module.path]);
  return violations;
}
