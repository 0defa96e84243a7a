/** The heap of one isolate of a process, MB: the main thread's, or that of a worker thread. */
export interface Isolate {
  name: string;
  committed: number;
  used: number;
  spaces: { young: number; old: number; code: number; large: number };
}

interface Heap {
  totalCommittedMemory: number;
  usedMemory: number;
  heapSpaces: Record<string, { committedMemory: number }>;
}

const BYTES_PER_MB = 1024 ** 2;

/** Reads a diagnostic report of Node. Null while it is still being written. */
export function isolatesOf(report: string): Isolate[] | null {
  let parsed: { javascriptHeap: Heap; workers: { header: { threadId: number }; javascriptHeap: Heap }[] };
  try {
    parsed = JSON.parse(report) as typeof parsed;
  } catch {
    return null;
  }
  return [
    isolateOf('main thread', parsed.javascriptHeap),
    ...parsed.workers.map(({ header, javascriptHeap }) =>
      isolateOf(`worker thread ${header.threadId}`, javascriptHeap),
    ),
  ];
}

function isolateOf(name: string, { totalCommittedMemory, usedMemory, heapSpaces }: Heap): Isolate {
  const committed = (pattern: RegExp): number =>
    Object.entries(heapSpaces).reduce((sum, [space, of]) => sum + (pattern.test(space) ? of.committedMemory : 0), 0) /
    BYTES_PER_MB;
  return {
    name,
    committed: totalCommittedMemory / BYTES_PER_MB,
    used: usedMemory / BYTES_PER_MB,
    spaces: {
      young: committed(/^new_space$/),
      old: committed(/^old_space$/),
      code: committed(/^code_space$/),
      large: committed(/large_object_space$/),
    },
  };
}
