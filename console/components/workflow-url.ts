/** The shell names Temporal's web UI where the service knows it (TEMPORAL_UI_URL). */
const UI = document.querySelector<HTMLMetaElement>('meta[name="temporal-ui"]')?.content ?? null;

/** The workflow of an invocation in Temporal's web UI; null where nobody said where that is. */
export function workflowUrl(invocationId: string): string | null {
  return UI === null ? null : `${UI}/${encodeURIComponent(`invocation/${invocationId}`)}`;
}
