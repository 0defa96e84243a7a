import { assembleContext } from '../../domain/context/assemble.ts';
import { countTokens } from '../../domain/sessions/o200k.ts';
import type { TokenAnswer, TokenJob } from './token-job.ts';

/** The work of the thread of `TokenCounter`, which alone holds the encoding. */
export default function answerJob(job: TokenJob): TokenAnswer {
  return job.kind === 'count'
    ? { kind: 'count', counts: job.texts.map(countTokens) }
    : { kind: 'assemble', context: assembleContext(job.request, countTokens) };
}
