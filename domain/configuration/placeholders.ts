/** What examples write for "put yours here". Compared with the whole value, without case and punctuation. */
const WORDS = new Set([
  'password',
  'passwd',
  'secret',
  'example',
  'dummy',
  'todo',
  'fixme',
  'tbd',
  'none',
  'null',
  'undefined',
]);
const BEGINNINGS =
  /^(replace|change|fill|insert|set|put|enter|paste)(me|this|it|in|here|your)|^(replace|insert|enter|paste)(with|by|a|the)?(random|password|secret|api|key|token|value)|^(placeholder|your(own)?(password|secret|api|key|token|value))/;

/** Whether a value is an unreplaced example: `replace-me`, `your-api-key`, `<token>`, `xxxx`, `service_live_…`. */
export function isPlaceholder(value: string): boolean {
  const text = value.trim();
  if (/^<.*>$|^\$?\{.*\}$|…|\.{3}/.test(text)) return true;
  const letters = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return WORDS.has(letters) || BEGINNINGS.test(letters) || /^x{3,}$/.test(letters);
}
