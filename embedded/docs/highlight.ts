import { createCssVariablesTheme, createHighlighter, type ThemedToken } from 'shiki';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { escapeMarkup } from '../../domain/markup-characters.ts';

/** Languages used in `docs/`. A block in another language has no colours. */
const LANGUAGES = ['sh', 'json', 'jsonc', 'ts', 'js', 'python', 'yaml', 'sql', 'http', 'toml', 'diff'] as const;
const THEME = createCssVariablesTheme({ name: 'documentation', variablePrefix: '--', fontStyle: false });

/**
 * CSS class of a token by its colour variable. Shiki would write a `style` attribute, which the pages' policy forbids; the style sheet has
 * the colours of each class. Unnamed tokens have the colour of the text.
 */
const CLASSES: Readonly<Record<string, string>> = {
  'var(--token-keyword)': 'tk',
  'var(--token-string)': 'ts',
  'var(--token-string-expression)': 'ts',
  'var(--token-comment)': 'tc',
  'var(--token-constant)': 'tn',
  'var(--token-function)': 'tf',
};

/** Code as HTML: escaped, and with a `<span class>` around what has a colour. */
export type Highlight = (code: string, language: string) => string;

export async function createHighlight(): Promise<Highlight> {
  // The engine in JavaScript: it needs no WebAssembly, and knows every pattern of these languages.
  const highlighter = await createHighlighter({
    themes: [THEME],
    langs: [...LANGUAGES],
    engine: createJavaScriptRegexEngine(),
  });
  const known = new Set(highlighter.getLoadedLanguages());
  return (code, language) => {
    if (!known.has(language)) return escapeMarkup(code);
    return (
      highlighter
        // By default a line that takes half a second, on a busy machine, has no colours.
        .codeToTokensBase(code, { lang: language as 'sh', theme: THEME, tokenizeTimeLimit: 0 })
        .map(lineOf)
        .join('\n')
    );
  };
}

/** Neighbours of one class share a span, which halves the bytes. */
function lineOf(tokens: readonly ThemedToken[]): string {
  let line = '';
  let open: string | undefined;
  for (const { color = '', content } of tokens) {
    const name = content.trim() === '' ? open : CLASSES[color];
    if (name !== open) {
      line += `${open === undefined ? '' : '</span>'}${name === undefined ? '' : `<span class="${name}">`}`;
      open = name;
    }
    line += escapeMarkup(content);
  }
  return open === undefined ? line : `${line}</span>`;
}
