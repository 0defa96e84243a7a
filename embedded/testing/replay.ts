import { sealedPayloads } from '../../process/payload-sealing.ts';
import { historyFiles, readHistory, ReplayFailedError, replayHistory, workflowTypeOf } from '../replay-histories.ts';

export interface ReplayFailure {
  /** Names the event, and the command that the code makes in its place where the SDK knows it. */
  message: string;
  /** The event of the history that the code does not make; null where it is not known. */
  eventId: number | null;
}

export interface ReplayedHistory {
  file: string;
  workflowType: string;
  /** How many events it has. */
  events: number;
  /** Null where it replays. */
  failure: ReplayFailure | null;
}

/**
 * Replays the histories of a file, or of a folder and those below it, on the code of the installed version: what an upgrade does to
 * workflows that are under way. It calls no activity and sends nothing.
 *
 * @param payloadKeys TEMPORAL_PAYLOAD_KEYS of the service that wrote them, where it has some.
 * @throws {Error} where there is no history.
 */
export async function replayHistories(
  fileOrFolder: string,
  payloadKeys: string | null = null,
): Promise<ReplayedHistory[]> {
  const files = historyFiles(fileOrFolder);
  if (files.length === 0) throw new Error(`${fileOrFolder} holds no history (*.json)`);
  const options = sealedPayloads(payloadKeys);
  const replayed: ReplayedHistory[] = [];
  for (const file of files) {
    const history = readHistory(file);
    const one = { file, workflowType: workflowTypeOf(history), events: history.events?.length ?? 0 };
    try {
      await replayHistory(history, file, options);
      replayed.push({ ...one, failure: null });
    } catch (error) {
      if (!(error instanceof ReplayFailedError)) throw error;
      const { message, eventId } = error;
      replayed.push({ ...one, failure: { message, eventId } });
    }
  }
  return replayed;
}
