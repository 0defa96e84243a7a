/** What load balancers and Kubernetes ask every few seconds: no work of anybody. */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
