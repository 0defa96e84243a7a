/** Reserved words of Python that a parameter of ours could have as a name. */
const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** `bindingDigest` and `webhook-id` as `BindingDigest` and `WebhookId`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** `runId` as `run_id`, `from` as `from_`. */
export function snakeCase(name: string): string {
  const snake = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

/** Usable as an unquoted class member. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name);
}

/** A Python string literal: JSON's escapes are Python's. */
export function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

export function docstring(text: string, indent: string): string[] {
  const lines = text.trim().replaceAll('\\', '\\\\').replaceAll('"""', "'''").split('\n');
  const [first = ''] = lines;
  if (lines.length === 1) return [`${indent}"""${first}"""`];
  return [
    `${indent}"""${first}`,
    ...lines.slice(1).map((line) => (line === '' ? '' : `${indent}${line}`)),
    `${indent}"""`,
  ];
}
