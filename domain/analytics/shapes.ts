const TARGET_CHARACTERS_MAX = 500;
const SHAPE_CHARACTERS_MAX = 300;
const SHAPED_CHARACTERS_MAX = 2_000;

/** Origin and path of a URL: userinfo, query and fragment may hold a secret. */
export function targetOf(url: string): string {
  return leftOf(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*@)?([^?#]*).*$/s, '$1$3'), TARGET_CHARACTERS_MAX);
}

/** The text of an error without what differs from one to the next: each word with a digit is `#`. */
export function errorShape(error: string): string {
  const shape = leftOf(error, SHAPED_CHARACTERS_MAX).replaceAll(/[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*/g, '#');
  return leftOf(shape, SHAPE_CHARACTERS_MAX);
}

/** As PostgreSQL's `left`: in code points. */
export function leftOf(text: string, characters: number): string {
  return text.length <= characters ? text : Array.from(text).slice(0, characters).join('');
}
