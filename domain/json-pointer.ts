/** One step of a JSON Pointer (RFC 6901), as it stands in the pointer. */
export function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
