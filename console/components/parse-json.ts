/** Strings, so that digits in them are passed over, and numbers. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** @throws {Error} that names the field, in words for a person. */
export function parseJson(text: string, label: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${label} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const rounded = (text.match(TOKEN) ?? []).find(isRounded);
  // The service refuses such a number too, and would never see that it was one.
  if (rounded !== undefined) throw new Error(`${label}: ${rounded} would be rounded. Write it as a text, in quotes.`);
  return value;
}

/** Whether it is beyond the numbers that the service takes: what is read here would be sent as another one. */
function isRounded(token: string): boolean {
  if (token.startsWith('"')) return false;
  const value = Number(token);
  return !Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value));
}
