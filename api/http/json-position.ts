/** Where a text stops being JSON. */
export interface JsonFault {
  /** From 1, as editors count; a column counts UTF-16 units. */
  line: number;
  column: number;
  /** What was expected there. */
  expected: string;
}

type Expecting = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end';

const WORDS: Record<Expecting, string> = {
  value: 'a value',
  'first value': 'a value or ]',
  key: 'a name in double quotes',
  'first key': 'a name in double quotes or }',
  colon: 'a colon',
  comma: 'a comma or the closing bracket',
  end: 'the end',
};

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the first character at which a text can be no JSON. The parser's own message has no position on some texts, and quotes
 * the text on others, which may hold a credential. Null where the text is JSON. It does not recurse, whatever the depth.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let expecting: Expecting = 'value';
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    const next = step(text, at, expecting, open);
    if (typeof next !== 'object') return fault(text, next, expecting);
    if ('faultAt' in next) return faultAt(text, next.faultAt, next.expected);
    expecting = next.expecting;
    at = skip(SPACE, text, next.end);
  }
  return expecting === 'end' ? null : fault(text, text.length, expecting);
}

type Step = { end: number; expecting: Expecting } | { faultAt: number; expected: string };

/** Reads one token, or answers where it cannot. */
function step(text: string, at: number, expecting: Expecting, open: string[]): Step | number {
  const first = text.charAt(at);
  const after = (): Expecting => (open.length === 0 ? 'end' : 'comma');
  if ((first === '}' && expecting === 'first key') || (first === ']' && expecting === 'first value')) {
    open.pop();
    return { end: at + 1, expecting: after() };
  }
  switch (expecting) {
    case 'key':
    case 'first key':
      return first === '"' ? readString(text, at, 'colon') : at;
    case 'colon':
      return first === ':' ? { end: at + 1, expecting: 'value' } : at;
    case 'comma': {
      if (first === ',') return { end: at + 1, expecting: open.at(-1) === '{' ? 'key' : 'value' };
      if (first !== (open.at(-1) === '{' ? '}' : ']')) return at;
      open.pop();
      return { end: at + 1, expecting: after() };
    }
    case 'end':
      return at;
    case 'value':
    case 'first value': {
      if (first === '{' || first === '[') {
        open.push(first);
        return { end: at + 1, expecting: first === '{' ? 'first key' : 'first value' };
      }
      if (first === '"') return readString(text, at, after());
      const end = Math.max(skip(NUMBER, text, at), skip(LITERAL, text, at));
      return end === at ? at : { end, expecting: after() };
    }
  }
}

/** Not one pattern for the whole: a long text would exhaust the stack of the matcher. */
function readString(text: string, start: number, expecting: Expecting): Step {
  let at = start + 1;
  for (;;) {
    if (at >= text.length) return { faultAt: at, expected: 'the closing double quote' };
    const code = text.charCodeAt(at);
    if (code === 0x22) return { end: at + 1, expecting };
    if (code < 0x20) return { faultAt: at, expected: 'an escaped control character, such as \\n' };
    const end = code === 0x5c ? skip(ESCAPE, text, at) : at + 1;
    if (end === at) return { faultAt: at, expected: 'an escape such as \\n or \\u00e9' };
    at = end;
  }
}

/** The end of what the sticky pattern matches at `at`, or `at`. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function fault(text: string, at: number, expecting: Expecting): JsonFault {
  return faultAt(text, at, WORDS[expecting]);
}

function faultAt(text: string, at: number, expected: string): JsonFault {
  let [line, lineStart] = [1, 0];
  for (let index = 0; index < at; index++) {
    const code = text.charCodeAt(index);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    // Both together end one line.
    if (code === LINE_FEED || text.charCodeAt(index + 1) !== LINE_FEED || index + 1 === at) line++;
    lineStart = index + 1;
  }
  return { line, column: at - lineStart + 1, expected };
}
