/** What the present test file has started and not closed yet. */
const open = new Set<() => Promise<unknown>>();

/**
 * Registers the end of something that a test file starts: it ends once, when it is called or with the file, whichever is first. So a file
 * starts what it needs at its top, and closes nothing.
 */
export function closesWithFile(close: () => Promise<unknown>): () => Promise<void> {
  let closing: Promise<unknown> | undefined;
  const once = async (): Promise<void> => {
    open.delete(once);
    await (closing ??= close());
  };
  open.add(once);
  return once;
}

/** The last that was started first: an API before its database. Every one is tried, and the first failure is thrown. */
export async function closeWhatIsOpen(): Promise<void> {
  const failures: unknown[] = [];
  for (const close of [...open].toReversed()) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
