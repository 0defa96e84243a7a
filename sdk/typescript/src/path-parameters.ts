/**
 * The path with its parameters, each as one part of it.
 *
 * @throws {TypeError} for a value that would be no part of its own: `..` would leave the path, whatever the encoding.
 */
export function pathOf(template: string, parameters: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`${template} needs ${name}.`);
    const text = String(value);
    if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} cannot be “${text}”.`);
    return encodeURIComponent(text);
  });
}
