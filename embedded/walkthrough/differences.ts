/** Values that each run makes again; two texts that differ only in these are equal. */
const MADE_ANEW: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z]{2,4})_[0-9A-Za-z]{22}\b/g, '$1_*'],
  [/\bre_[0-9a-f]{16}\b/g, 're_*'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\b/g, '<HTTP date>'],
  [/\bsha256:[0-9a-f]{64}\b/g, 'sha256:*'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\b127\.0\.0\.1:\d+/g, '127.0.0.1:*'],
];

/** How the printed JSON departs from what a page shows. The page may leave members out, and cut a text off with "…". */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  const at = path === '' ? 'the reply' : path.slice(1);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is no list: ${shown(actual)}`];
    if (actual.length !== expected.length) return [`${at} has ${actual.length} entries, not ${expected.length}`];
    return expected.flatMap((entry, index) => differences(entry, actual[index], `${path}[${index}]`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return [`${at} is no object: ${shown(actual)}`];
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, (actual as Record<string, unknown>)[name], `${path}.${name}`),
    );
  }
  return isAlike(expected, actual) ? [] : [`${at} is ${shown(actual)}, not ${shown(expected)}`];
}

function isAlike(expected: unknown, actual: unknown): boolean {
  if (typeof expected !== 'string' || typeof actual !== 'string') return expected === actual;
  const [wanted, got] = [normal(expected), normal(actual)];
  return wanted.endsWith('…') ? got.startsWith(wanted.slice(0, -1)) : got === wanted;
}

function normal(text: string): string {
  return MADE_ANEW.reduce((done, [pattern, replacement]) => done.replaceAll(pattern, replacement), text);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
