/**
 * Parts of what PostgreSQL prints of a `jsonb` value, as they stand in it. `JSON.parse` would round a number of many digits, and a receipt
 * hashes the text.
 */

/** The members of an object, each as text. Empty for `null`. */
export function membersOf(text: string): Map<string, string> {
  return new Map(
    partsOf(text).map((part) => {
      const end = endOfString(part, 0);
      return [JSON.parse(part.slice(0, end)) as string, part.slice(end + ': '.length)];
    }),
  );
}

/** The items of an array, each as text. Empty for `null`. */
export function itemsOf(text: string): string[] {
  return partsOf(text);
}

/** The text of an object of these members: by the length of their names in bytes, and then by the bytes. */
export function objectOf(members: Readonly<Record<string, string>>): string {
  const named = Object.entries(members).map(([name, text]) => ({ bytes: Buffer.from(name), name, text }));
  named.sort((one, other) => one.bytes.length - other.bytes.length || Buffer.compare(one.bytes, other.bytes));
  return `{${named.map(({ name, text }) => `${JSON.stringify(name)}: ${text}`).join(', ')}}`;
}

function partsOf(text: string): string[] {
  if (!/^[[{]/.test(text)) return [];
  const parts: string[] = [];
  const end = text.length - 1;
  let begins = 1;
  let depth = 0;
  for (let at = 1; at < end;) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(begins, at));
      begins = at + ', '.length;
    }
    at++;
  }
  if (begins < end) parts.push(text.slice(begins, end));
  return parts;
}

/** The place behind the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next++) {
    if (text[next] === '\\') next++;
    else if (text[next] === '"') return next + 1;
  }
  throw new Error('a string does not end');
}
