/** `*` matches any run of characters, `?` one. Backtracks only to the last `*`: at most the product of both lengths. */
export function matchesGlob(glob: string, text: string): boolean {
  let at = 0;
  let inText = 0;
  let star = -1;
  let starText = 0;
  while (inText < text.length) {
    const wanted = glob[at];
    if (wanted === '*') {
      star = at++;
      starText = inText;
    } else if (wanted === '?' || wanted === text[inText]) {
      at++;
      inText++;
    } else if (star >= 0) {
      at = star + 1;
      inText = ++starText;
    } else {
      return false;
    }
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}

/** The same glob as a pattern of SQL's LIKE. */
export function likeOfGlob(glob: string): string {
  return glob
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
}
