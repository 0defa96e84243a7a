/** Where Temporal's web UI shows the workflows of a namespace. */
export function temporalUiOf(origin: string | null, namespace: string): string | null {
  return origin === null ? null : `${origin}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}
