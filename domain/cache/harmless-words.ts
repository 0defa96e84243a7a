/** English words that change nothing in any sentence (docs/cache.md). A word too few only costs a hit. */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** One of them says that two prompts are English. Elsewhere the words below mean other things: a Spanish "a" is "to". */
export const ENGLISH_MARKS = words(
  'the what which where when why who how this these your you my please does should would could about with explain write give tell',
);

export const ARTICLES = words('a an the');
/** An article in front of these is part of them: few and a few, most and the most. */
export const KEEPS_ITS_ARTICLE = words(
  'few little most more less least only other same lot bit one who what which and or but not is are was were be of to in on at by for with from as than that',
);
/** An article behind these tells the thing from the notion: what is time, what is the time. */
export const KEEPS_THE_NEXT_ARTICLE = words('is are was were be');

/** Only the first or the last words of a prompt: elsewhere "please" may be what the prompt is about. */
export const POLITE_OPENINGS: readonly string[] = [
  'please',
  'kindly',
  'can you please',
  'could you please',
  'would you please',
  'please can you',
  'please could you',
  'please would you',
];
export const POLITE_ENDINGS: readonly string[] = [', please', ', thanks', ', thank you'];
/** A question of courtesy only in front of words that ask for a text: "can you use" asks whether one may. */
export const CAN_YOU: readonly string[] = ['can you', 'could you', 'would you'];
export const ASKED_OF_A_MODEL = words(
  'explain describe summarise summarize outline rephrase rewrite refactor proofread',
);
/** Asks a model for what it would answer to the words behind it anyway. */
export const ASKS_FOR: readonly string[] = ['give me', 'tell me'];
/** At the beginning of a prompt those of a line say the same. */
export const SAME_OPENINGS: readonly (readonly string[])[] = [
  ['how do i', 'how can i', 'how could i', 'how to'],
  ['i want to', 'i would like to'],
];

export const CONTRACTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "what's": 'what is',
    "who's": 'who is',
    "where's": 'where is',
    "when's": 'when is',
    "how's": 'how is',
    "that's": 'that is',
    "there's": 'there is',
    "here's": 'here is',
    "it's": 'it is',
    "he's": 'he is',
    "she's": 'she is',
    "i'm": 'i am',
    "you're": 'you are',
    "we're": 'we are',
    "they're": 'they are',
    "i've": 'i have',
    "you've": 'you have',
    "we've": 'we have',
    "they've": 'they have',
    "i'll": 'i will',
    "you'll": 'you will',
    "we'll": 'we will',
    "they'll": 'they will',
    "isn't": 'is not',
    "aren't": 'are not',
    "wasn't": 'was not',
    "weren't": 'were not',
    "don't": 'do not',
    "doesn't": 'does not',
    "didn't": 'did not',
    "can't": 'can not',
    cannot: 'can not',
    "couldn't": 'could not',
    "won't": 'will not',
    "wouldn't": 'would not',
    "shouldn't": 'should not',
  }).map(([short, long]) => [short, long.split(' ')]),
);

/** What agrees with a plural. */
export const SINGULARS: ReadonlyMap<string, string> = new Map(
  Object.entries({ are: 'is', were: 'was', have: 'has', do: 'does', these: 'this', those: 'that' }),
);
/** Their -s makes another word of them, or is none of a plural. */
export const NO_PLURALS = words(
  `news goods customs arms means glasses savings rights interests minutes times forces works words looks manners spirits splits peoples
  this thus plus less lens bias gas bus yes always perhaps besides towards across species series`,
);
