/** The metrics that a text names: ours, and those of Node and the process that prom-client shows. Histograms by their own name. */
export function metricsNamedIn(text: string): string[] {
  const named = [...text.matchAll(/\b(?:agent_actions|nodejs|process)_[a-z0-9_]+\b(?!\.)/g)].map(([name]) =>
    name.replace(/_duration_seconds_(count|bucket|sum)$/, '_duration_seconds'),
  );
  return [...new Set(named)].toSorted();
}
