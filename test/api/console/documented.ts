import { readFileSync } from 'node:fs';
import type { Visit } from './support.ts';

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, object> };

const OPERATIONS = Object.entries(paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  methods: Object.keys(methods),
}));

/** The calls that no operation of the description answers. */
export function undocumented(calls: Visit['calls']): string[] {
  const isDocumented = ({ method, path }: Visit['calls'][number]): boolean =>
    OPERATIONS.some(({ pattern, methods }) => pattern.test(path) && methods.includes(method.toLowerCase()));
  return [...new Set(calls.filter((call) => !isDocumented(call)).map(({ method, path }) => `${method} ${path}`))];
}
