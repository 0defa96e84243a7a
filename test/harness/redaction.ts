import { RedactionThreads } from '../../activities/adapters/http-request/redaction-threads.ts';
import { compiledModule } from './compiled-module.ts';
import { PATIENCE_MS } from './patience.ts';

/** Starts no thread before a search needs one, and holds no process back. */
export const REDACTION = new RedactionThreads({
  threadFile: () => compiledModule('activities/adapters/http-request/redaction-thread.ts'),
  deadlineMs: PATIENCE_MS,
  waitMsMax: PATIENCE_MS,
});
