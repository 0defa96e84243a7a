/**
 * True where `pattern` matches all of `text`: `*` stands for any run of characters, everything else for itself. Goes back to
 * the last star only, so that no pattern takes longer than the product of both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let inText = 0;
  let star = -1;
  let afterStar = 0;
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      afterStar = inText;
    } else if (pattern[at] === text[inText]) {
      at += 1;
      inText += 1;
    } else if (star >= 0) {
      at = star + 1;
      inText = ++afterStar;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
