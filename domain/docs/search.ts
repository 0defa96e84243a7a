import MiniSearch, { type Options } from 'minisearch';
import { type BuiltPage, type PageType, withoutFrontmatter } from './content.ts';

/** The search of the documentation. The build makes its index, and the API loads it; both use these options. */

interface Document {
  id: string;
  title: string;
  headings: string;
  description: string;
  area: string;
  text: string;
  type: PageType;
}

export const QUERY_CHARACTERS_MAX = 200;
/** A query of 200 characters may have a hundred words, each of which costs. */
const TERMS_MAX = 16;
/** Shorter words are not misspelt so that a reader could not tell, and each has too many neighbours. */
const MISSPELT_FROM_LETTERS = 5;
const PREFIX_FROM_LETTERS = 3;
/** A share of the letters: one of five. */
const FUZZY = 0.2;

const BOOSTS = { title: 6, headings: 2.5, description: 2, area: 2, text: 1 } as const;

/** Readers ask how to do something more often than why it was decided. */
const WEIGHTS: Readonly<Record<PageType, number>> = {
  guide: 1.2,
  quickstart: 1.1,
  cookbook: 1,
  howto: 0.9,
  reference: 0.9,
  operation: 0.6,
  error: 0.7,
  refusal: 0.7,
  warning: 0.7,
  adr: 0.4,
};

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about an and any are as at be been by can could did do does doing for from had has have how i if in into is it its ' +
    'me my of on one or our out should so some than that the their them then there these they this to too up us use was we ' +
    'were what when where which while who whom why will with would you your'
  ).split(' '),
);

const OPTIONS: Options<Document> = {
  fields: ['title', 'headings', 'description', 'area', 'text'],
  storeFields: ['type'],
  tokenize,
  processTerm: stem,
};

export function searchIndexOf(pages: readonly BuiltPage[]): string {
  const index = new MiniSearch<Document>(OPTIONS);
  index.addAll(
    pages.map(({ route, title, headings, description, facets, markdown, type }) => ({
      id: route,
      title,
      headings: headings.map(({ text }) => text).join('\n'),
      description: description ?? '',
      area: `${facets['area'] ?? ''} ${route}`,
      text: readableText(markdown),
      type,
    })),
  );
  return JSON.stringify({ index: index.toJSON(), vocabulary: vocabularyOf(index) });
}

export class DocsSearch {
  readonly #index: MiniSearch<Document>;
  readonly #vocabulary: ReadonlySet<string>;

  private constructor(index: MiniSearch<Document>, vocabulary: ReadonlySet<string>) {
    this.#index = index;
    this.#vocabulary = vocabulary;
  }

  /** Reads what `searchIndexOf` made, a little at a time: other work goes on meanwhile. */
  static async load(json: string): Promise<DocsSearch> {
    const { index, vocabulary } = JSON.parse(json) as { index: object; vocabulary: string[] };
    const loaded = await MiniSearch.loadJSAsync<Document>(index as never, OPTIONS);
    return new DocsSearch(loaded, new Set(vocabulary));
  }

  /** The routes of matching pages, best first. In words of five letters or more one letter may be wrong. */
  find(query: string): string[] {
    const terms = [...new Set(tokenize(query.slice(0, QUERY_CHARACTERS_MAX)).flatMap((token) => stem(token) ?? []))];
    if (terms.length === 0) return [];
    const known = terms.slice(0, TERMS_MAX).map((term) => this.#corrected(term));
    const hits = this.#index.search(known.join(' '), {
      tokenize: (text) => text.split(' '),
      processTerm: (term) => term,
      boost: BOOSTS,
      prefix: (term) => term.length >= PREFIX_FROM_LETTERS,
      fuzzy: (term) =>
        term.length >= MISSPELT_FROM_LETTERS - 1 && !this.#vocabulary.has(term) ? editsOf(term) : false,
      boostDocument: (_route, _term, stored) => WEIGHTS[(stored as { type: PageType }).type],
    });
    return hits.map(({ id }) => id as string);
  }

  /** A word that no page has, with two neighbouring letters exchanged where that makes one that a page has. */
  #corrected(term: string): string {
    if (term.length < MISSPELT_FROM_LETTERS - 1 || this.#vocabulary.has(term)) return term;
    for (let at = 0; at < term.length - 1; at++) {
      const exchanged = `${term.slice(0, at)}${term[at + 1] ?? ''}${term[at] ?? ''}${term.slice(at + 2)}`;
      if (this.#vocabulary.has(exchanged)) return exchanged;
    }
    return term;
  }
}

/** MiniSearch takes a number below 1 as a share of the length. The stem of a word of five letters may have four. */
function editsOf(term: string): number {
  return Math.max(1, Math.round(term.length * FUZZY));
}

/** Words and numbers; a name such as `preventSelf` also as its words. */
function tokenize(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).flatMap((token) => {
    if (token === '') return [];
    const words = token.split(/(?<=\p{Ll})(?=\p{Lu})/u);
    return words.length > 1 ? [token, ...words] : [token];
  });
}

/** In lower case, without the endings of English that do not change what is meant; null for words that are everywhere. */
function stem(token: string): string | null {
  const word = token.normalize('NFKC').toLowerCase();
  if (STOP_WORDS.has(word)) return null;
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word.replace(/ies$/, 'y').replace(/(?<![su])s$/, '');
  const bare = singular.replace(/(?<=[a-z]{4})(ing|ed)$/, '').replace(/([^aeiouls])\1$/, '$1');
  return bare.length > 3 ? bare.replace(/e$/, '') : bare;
}

/** Without the frontmatter, the addresses of links and the signs of Markdown. */
function readableText(markdown: string): string {
  return withoutFrontmatter(markdown)
    .replaceAll(/\]\([^)]*\)/g, '] ')
    .replaceAll(/[`*_#>|~[\]]+/g, ' ');
}

function vocabularyOf(index: MiniSearch<Document>): string[] {
  const { index: terms } = index.toJSON();
  return terms.map(([term]) => term);
}
