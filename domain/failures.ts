/** Longer texts of the Temporal SDK repeat a whole reply. */
const TEXT_CHARACTERS_MAX = 500;
/** The form in which the SDK's core prints a failed call: `Status { code: Unavailable, message: "…", metadata: … }`. */
const STATUS = /code: (?:'([^']*)'|(\w+)).*?message: "((?:[^"\\]|\\.)*)"/s;

/** An error text of the Temporal SDK without values: a failed call's code and message, elsewhere without quotations. */
export function withoutValues(text: string): string {
  const [, sentence, code, message = ''] = STATUS.exec(text) ?? [];
  const kept = sentence ?? code;
  const plain = kept === undefined ? text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"') : `${kept}: ${message}`;
  return plain.replaceAll(/\b(Bearer|Basic) \S+/gi, '$1 …').slice(0, TEXT_CHARACTERS_MAX);
}

/** A database error's `detail`, `where` and bound values hold what a caller sent: keeps code and sentence only. */
export function describeFailure(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const code = codeOf(thrown);
  const isDatabaseError = 'severity' in thrown;
  return {
    type: thrown.name,
    message: isDatabaseError ? databaseMessage(thrown, code) : thrown.message,
    ...(code === null ? {} : { code }),
    ...('constraint' in thrown && thrown.constraint !== undefined ? { constraint: thrown.constraint } : {}),
    stack: thrown.stack?.split('\n').filter((line) => line.startsWith('    at ')),
    ...(thrown.cause === undefined ? {} : { cause: describeFailure(thrown.cause) }),
  };
}

/** The server's own sentence, without the statement that knex prepends. Class 22 quotes the offending value. */
export function databaseMessage(error: Error, code: string | null): string {
  const message = error.message.split(' - ').at(-1) ?? '';
  return code?.startsWith('22') === true ? message.replaceAll(/".*"/gs, '"…"') : message;
}

export function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}
