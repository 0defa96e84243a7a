const TARGET_CHARACTERS_MAX = 500;

/** Origin and path of a URL: userinfo, query and fragment may hold a secret. */
export function targetOf(url: string): string {
  return leftOf(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*@)?([^?#]*).*$/s, '$1$3'), TARGET_CHARACTERS_MAX);
}

/** As PostgreSQL's `left`: in code points. */
export function leftOf(text: string, characters: number): string {
  return text.length <= characters ? text : Array.from(text).slice(0, characters).join('');
}
