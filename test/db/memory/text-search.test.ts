import { expect, it } from 'vitest';
import { createCollection } from '../../../db/memory/collections.ts';
import { matchingMemories } from '../../../db/memory/matching-memories.ts';
import { storeMemories } from '../../../db/memory/changes.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plainMemory } from '../../harness/plain-memory.ts';

let collections = 0;
const database = await createTestDatabase();

/** What a search by words finds among these contents, the best first. */
function found(contents: readonly string[], query: string): Promise<string[]> {
  return database.db.withEnvironment(database.tenant, async (tx) => {
    const embedding = { model: 'fake', dimensions: 2 };
    const { id } = await createCollection(tx, { name: `words ${++collections}`, description: null, embedding });
    const vector = Float32Array.from([1, 0]);
    const ids = await storeMemories(
      tx,
      id,
      contents.map((content) => plainMemory({ content, vector })),
    );
    const ranked = await matchingMemories(tx, { collectionIds: [id], filter: {}, moment: {} }, query);
    return ranked.map((one) => contents[ids.indexOf(one.id)] ?? '');
  });
}

const UNRELATED = [
  'Tomorrow the invoices of the harbour are due',
  '明日の天気は雨です',
  '我们周末去爬山',
  'พรุ่งนี้ฝนจะตก',
  '내일은 비가 옵니다',
  'Завтра будет дождь',
  'غدا سوف تمطر',
  'order 7781 of bob@elsewhere.org in /var/log/nginx.conf',
];

it.each([
  ['今日は成語しりとりをした', 'しりとり'],
  ['今天玩成语接龙游戏', '成语接龙'],
  ['语言偏好是中文优先', '中文'],
  ['ฉันชอบกินข้าวผัดกุ้ง', 'ข้าวผัด'],
  ['The Café Noir opens at nine', 'cafe'],
  ['La réunion à l’hôtel est reportée', 'hotel'],
  ['İstanbul ofisi kapalı', 'istanbul'],
  ['Кошка сидит на окне', 'окно'],
  ['user_id=abc-123_x@example.com', 'example.com'],
  ['Das Café öffnet um neun', 'CAFÉ'],
  ['Straße gesperrt', 'strasse'],
  ['Łódź jest piękna', 'lodz'],
  ['Smørrebrød på øen', 'smorrebrod'],
  ['Kapı kırmızı', 'kirmizi'],
  ['Hà Nội mùa thu', 'ha noi'],
  ['Đường Lê Lợi', 'duong'],
  ['Η Αθήνα είναι όμορφη', 'αθηνα'],
  ['Ёлка в лесу', 'елка'],
  ['Зелёный чай по утрам', 'зеленый'],
  ['שָׁלוֹם לכולם', 'שלום'],
  ['הוא גר בירושלים', 'ירושלים'],
  ['كَتَبَ مُحَمَّدٌ الرسالة', 'محمد'],
  ['أحمد يحب القهوة', 'قهوة'],
  ['मुझे हिन्दी पसंद है', 'हिन्दी'],
  ['서울에서 회의가 있습니다', '서울'],
  ['서울 회의', '서울에서'],
  ['東京のホテルに泊まる', 'ホテル'],
  ['ﾎﾃﾙを予約', 'ホテル'],
  ['猫が好きです', '猫'],
  ['ＡＢＣ商事との契約', 'abc'],
  ['Launch party 🎉 on Friday', '🎉'],
  ['Great work 👍🏽', '👍'],
  ['Call +1 (415) 555-2671 first', '415-555-2671'],
  ['Call +1 (415) 555-2671 first', '4155552671'],
  ['Her number is 0305551234', '030 555-1234'],
  ['see src/auth/login.ts:42', 'auth/login.ts'],
  ['see src/auth/login.ts:42', 'login.ts'],
  ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
  ['calls getUserName twice', 'user name'],
  ['calls getUserName twice', 'get_user_name'],
  ['calls get_user_name twice', 'getUserName'],
  ['the flag MAX_RETRY_COUNT', 'retry'],
  ['ticket PAY-2291-b is open', 'pay-2291-b'],
  ['ticket PAY-2291-b is open', '2291'],
  ['id 550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
  ['docs at https://www.example.com/guide/start?lang=en', 'example.com/guide'],
  ['docs at example.com/guide/start', 'https://example.com/guide'],
  ['Die Rechnungsnummer fehlt', 'Rechnung'],
  ['They were running late', 'run'],
])('in “%s” it finds “%s”, and in nothing else', async (content, query) => {
  expect(await found([...UNRELATED, content], query)).toEqual([content]);
});

it.each([
  ['runs', ['She runs', 'She will run']],
  ['café', ['A café', 'A cafe']],
  ['java', ['Java runs here', 'JavaScript runs here']],
  ['京都', ['京都に行く', '東京都に行く']],
  ['user', ['the user pays', 'userName is set']],
])('“%s”: a word that is written exactly so ranks first', async (query, contents) => {
  expect(await found([...UNRELATED, ...contents.toReversed()], query)).toEqual(contents);
});

it.each(['example.net', 'card', 'अच्छा', 'ха', '電車', 'the of and', '!? & |', "it's ''", 'को'])(
  '“%s” finds nothing',
  async (query) => {
    expect(await found([...UNRELATED, 'mail ada@example.com', 'the car is at a carwash'], query)).toEqual([]);
  },
);
