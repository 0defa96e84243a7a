/** A text with the three characters that begin markup replaced: for the text of an HTML page, and of a message in Slack's own markup. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
