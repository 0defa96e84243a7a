/** A value in PostgreSQL's text form (bytes as they are). Objects are JSON; an array is one of PostgreSQL. */
export function wireValue(value: unknown): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return arrayLiteral(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`;
  throw new Error(`a value of a statement is a ${typeof value}`);
}

function arrayLiteral(items: readonly unknown[]): string {
  return `{${items.map(elementOf).join(',')}}`;
}

function elementOf(item: unknown): string {
  if (item === null || item === undefined) return 'NULL';
  if (Array.isArray(item)) return arrayLiteral(item);
  if (typeof item === 'number' || typeof item === 'boolean') return String(item);
  const value = wireValue(item);
  const text = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value);
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
