/** Strings, so that digits in them are passed over, and numbers. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The value of a JSON text. The service refuses numbers that JavaScript does not hold; read here, they would reach it as others.
 *
 * @throws {SyntaxError}
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const rounded = (text.match(TOKEN) ?? []).find(isRounded);
  if (rounded !== undefined) throw new SyntaxError(`${rounded} would be rounded, write it as a text, in quotes`);
  return value;
}

function isRounded(token: string): boolean {
  if (token.startsWith('"')) return false;
  const value = Number(token);
  return !Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value));
}
