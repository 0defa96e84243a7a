import { z } from 'zod';
import type { PartialEffect } from '../lifecycle.ts';
import type { ProviderResponse } from './adapter-descriptor.ts';

/** What Resend's answers prove of an email. The table: docs/adapters/resend-email.md, "How the outcome is judged". */

const sentSchema = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/) });
const emailSchema = z.object({ id: z.string(), last_event: z.string().max(100).nullish() });
const errorSchema = z.object({ name: z.string().max(100) });

/** The id that a 2xx answered, null where there is none. */
export function sentEmailId({ status, body }: ProviderResponse): string | null {
  if (status < 200 || status >= 300) return null;
  return sentSchema.safeParse(body).data?.id ?? null;
}

export interface EmailJudgement {
  outcome: 'succeeded' | 'failed' | 'unknown';
  partialEffect: PartialEffect;
  summary: string;
}

/** Not 409: another request under this key is under way, or came before. */
const REJECTIONS: readonly number[] = [400, 401, 403, 404, 405, 413, 415, 422, 429, 451];

/** Resend does not say whether a reply is a kept one. The reply to a replay proves something only where it holds an id. */
export function judgeEmailReply(response: ProviderResponse, kind: 'dispatch' | 'replay'): EmailJudgement {
  const { status, body } = response;
  const id = sentEmailId(response);
  if (id !== null) {
    return { outcome: 'succeeded', partialEffect: 'none', summary: `Resend answered ${status} and took email ${id}` };
  }
  const name = errorSchema.safeParse(body).data?.name;
  const summary = `Resend answered ${status}${name === undefined ? '' : ` (${name})`}`;
  if (!REJECTIONS.includes(status)) return { outcome: 'unknown', partialEffect: 'possible', summary };
  if (kind === 'dispatch') return { outcome: 'failed', partialEffect: 'none', summary };
  const reason = `${summary}, which says nothing of the request that is replayed`;
  return { outcome: 'unknown', partialEffect: 'possible', summary: reason };
}

/** What an email's own record proves. It exists, so Resend took the email; events that say it was never sent are a failure. */
export function judgeEmailRecord(
  body: unknown,
  id: string,
): { outcome: 'succeeded' | 'failed'; summary: string } | null {
  const email = emailSchema.safeParse(body).data;
  if (email === undefined || email.id !== id) return null;
  const event = email.last_event ?? 'nothing yet';
  const outcome = event === 'failed' || event === 'canceled' ? 'failed' : 'succeeded';
  return { outcome, summary: `Resend's record of email ${id} says: ${event}` };
}
