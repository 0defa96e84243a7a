export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJsonMediaType(mediaType: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(mediaType);
}
