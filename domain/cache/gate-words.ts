/**
 * The words that the gate of the semantic cache knows. They only ever keep an answer back: a word that is missing here lets a near
 * prompt through that should not pass, and one too many costs a hit.
 */

const words = (text: string): string[] => text.trim().split(/\s+/);

/** What turns a sentence around, in the languages that are met most. Scripts without spaces are looked for inside the text. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  words(`
  not no never none nobody nothing nowhere neither nor without cannot except unless lacks lacking excluding barely hardly
  nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder außer
  ne pas jamais sans aucun aucune rien personne sauf
  nunca sin ningún ninguno ninguna nadie nada jamás excepto tampoco
  non mai senza nessun nessuno nessuna niente nulla
  não nunca sem nenhum nenhuma ninguém
  niet geen nooit zonder niemand niets
  inte ej aldrig utan ingen inget ikke aldri uten intet
  nie bez nigdy żaden nikt nic
  не нет без никогда никто ничего ни нельзя
  değil yok olmadan asla hiç
  нема ніколи
  ei ilman koskaan
  לא בלי אין
  नहीं मत बिना न
  لا ليس لم لن بدون
  tidak bukan tanpa jangan
  không chưa đừng
`),
);
export const NEGATIONS_WITHIN: readonly string[] = [
  '不',
  '没',
  '沒',
  '無',
  '无',
  '别',
  '別',
  '未',
  'ない',
  'ません',
  'なし',
  '않',
  '없',
  '못하',
  '말고',
];

/** Two poles of one matter, each with its words. A text of one pole is never the answer to a text of the other. */
export const OPPOSITES: readonly (readonly [string[], string[]])[] = [
  [
    'on enable enabled enables enabling activate activated activating activates start started starts starting an ein einschalten aktivieren activer activar',
    'off disable disabled disables disabling deactivate deactivated deactivating deactivates stop stopped stops stopping aus ausschalten deaktivieren désactiver desactivar',
  ],
  ['before prior earlier vor vorher avant antes', 'after afterwards later nach nachher après después'],
  [
    'add added adding adds insert attach hinzufügen ajouter añadir agregar',
    'remove removed removing removes delete deleted deleting deletes detach drop entfernen löschen supprimer eliminar borrar quitar',
  ],
  [
    'create created creating creates make making erstellen créer crear',
    'delete deleted deleting deletes destroy destroyed destroying löschen supprimer eliminar borrar',
  ],
  ['open opened opening opens öffnen ouvrir abrir', 'close closed closing closes shut schließen fermer cerrar'],
  [
    'increase increased increasing increases raise raised raising raises rise grow growing erhöhen augmenter aumentar',
    'decrease decreased decreasing decreases lower lowered lowering reduce reduced reducing reduces shrink senken verringern réduire diminuer reducir disminuir',
  ],
  [
    'more most greater bigger larger maximum max maximise maximize mehr plus más',
    'less least fewer smaller minimum min minimise minimize weniger moins menos',
  ],
  ['high higher highest hoch haut alto', 'low lower lowest niedrig bas bajo'],
  ['best better gut good', 'worst worse bad schlecht mal'],
  ['first oldest earliest initial erste premier primero', 'last newest latest final letzte dernier último'],
  ['buy buying bought purchase purchasing kaufen acheter comprar', 'sell selling sold sale verkaufen vendre vender'],
  [
    'send sending sent sender senden envoyer enviar',
    'receive receiving received receiver recipient empfangen recevoir recibir',
  ],
  ['upload uploading uploaded hochladen', 'download downloading downloaded herunterladen'],
  ['import importing imported imports', 'export exporting exported exports'],
  ['include including included includes with', 'exclude excluding excluded excludes without'],
  [
    'allow allowing allowed permit permitted accept accepting accepted approve approving approved grant granted erlauben autoriser permitir',
    'deny denying denied forbid forbidden reject rejecting rejected refuse refused block blocking blocked prohibit verbieten interdire prohibir revoke revoked',
  ],
  ['lock locking locked sperren', 'unlock unlocking unlocked entsperren'],
  ['ascending asc upward up upwards aufsteigend', 'descending desc downward down downwards absteigend'],
  ['left links gauche izquierda', 'right rechts droite derecha'],
  ['hot hotter hottest warm heiß chaud caliente', 'cold colder coldest cool kalt froid frío'],
  ['input inputs read reading reads', 'output outputs write writing writes'],
  ['public öffentlich', 'private privat confidential secret'],
  [
    'success succeed succeeded succeeds succeeding successful pass passed passes win winning won',
    'failure fail failed fails failing unsuccessful lose losing lost loss',
  ],
  [
    'advantage advantages benefit benefits pros pro strength strengths vorteile avantages ventajas',
    'disadvantage disadvantages drawback drawbacks cons con risk risks weakness weaknesses nachteile inconvénients desventajas',
  ],
  [
    'show showing shown visible expand expanded zeigen montrer mostrar',
    'hide hiding hidden invisible collapse collapsed verstecken cacher ocultar',
  ],
  ['encrypt encrypting encrypted encode encoded', 'decrypt decrypting decrypted decode decoded'],
  ['push pushed pushing', 'pull pulled pulling'],
  [
    'enter entering entry login arrive arrival arrivals check-in',
    'exit exiting leave leaving logout depart departure departures check-out',
  ],
  ['upgrade upgrading upgraded promote promoted', 'downgrade downgrading downgraded demote demoted'],
  ['deposit depositing deposited credit credited', 'withdraw withdrawing withdrawal withdrawn debit debited'],
  ['lend lending lent', 'borrow borrowing borrowed'],
  ['connect connecting connected online', 'disconnect disconnecting disconnected offline'],
  ['start begin beginning started', 'end ending finish finished'],
  ['always', 'never sometimes rarely'],
  ['all every each alle tous todos', 'none some any'],
  ['am morning day tag', 'pm evening night nacht'],
  ['male man men boy father husband', 'female woman women girl mother wife'],
  ['fast faster fastest quick quicker schnell rapide rápido', 'slow slower slowest langsam lent lento'],
  ['long longer longest', 'short shorter shortest'],
  ['old older', 'new newer young younger'],
  ['cheap cheaper cheapest', 'expensive costly pricey'],
  ['true yes', 'false no'],
  ['positive plus gain gains profit', 'negative minus'],
  ['incoming inbound internal inside', 'outgoing outbound external outside'],
  ['pause paused pausing hold', 'resume resumed resuming continue'],
  ['hire hiring hired', 'fire firing fired'],
  ['join joining joined', 'leave leaving quit'],
  ['freeze freezing frozen', 'melt melting thaw'],
  ['above over exceed exceeds exceeding', 'below under beneath'],
  ['remember save saved keep', 'forget discard'],
].map(([one = '', other = '']) => [words(one), words(other)] as const);

/** Members of one class are different things, however alike they are. Words in one line are the same thing. */
export const CLASSES: Readonly<Record<string, readonly string[][]>> = Object.fromEntries(
  Object.entries({
    units: `km kilometer kilometers kilometre kilometres|mile miles mi|m meter meters metre metres|cm centimeter centimeters centimetre centimetres|mm millimeter millimeters|foot feet ft|inch inches|yard yards
      kg kilogram kilograms kilo kilos|gram grams g|pound pounds lb lbs|ounce ounces oz|ton tons tonne tonnes|liter liters litre litres l|gallon gallons|ml milliliter milliliters
      celsius centigrade °c|fahrenheit °f|kelvin|second seconds sec secs s|minute minutes mins|hour hours hr hrs h|day days daily|week weeks weekly|month months monthly|quarter quarters quarterly|year years yearly annual annually|decade decades
      byte bytes|kb kilobyte kilobytes|mb megabyte megabytes|gb gigabyte gigabytes|tb terabyte terabytes|kib|mib|gib|bit bits|percent % percentage|degree degrees|watt watts w|kw kilowatt kilowatts|volt volts|amp amps|ms millisecond milliseconds`,
    currencies: `usd dollar dollars $ us$|eur euro euros €|gbp sterling £|jpy yen ¥|chf francs|cny yuan rmb|inr rupee rupees ₹|cad|aud|btc bitcoin|eth ethereum|cent cents`,
    months: `january jan januar janvier enero|february feb februar février febrero|march märz mars marzo|april abril avril|may mai mayo|june jun juni juin junio|july jul juli juillet julio|august aug août agosto|september sept septembre septiembre|october oct oktober octobre octubre|november nov noviembre|december dec dezember décembre diciembre`,
    days: `monday mon montag lundi lunes|tuesday tue dienstag mardi martes|wednesday wed mittwoch mercredi miércoles|thursday thu donnerstag jeudi jueves|friday fri freitag vendredi viernes|saturday sat samstag samedi sábado|sunday sonntag dimanche domingo|today heute|tomorrow morgen|yesterday gestern`,
    colours:
      'red rot rouge rojo|green grün vert verde|blue blau bleu azul|yellow gelb jaune amarillo|black schwarz noir negro|white weiß blanc blanco|orange|purple violet|pink|grey gray|brown',
    languages: `english|german deutsch|french français|spanish español|italian italiano|portuguese português|dutch|polish|russian|ukrainian|turkish|arabic|hebrew|hindi|chinese mandarin|japanese|korean|vietnamese|swedish|danish|norwegian|finnish|greek|latin|czech|hungarian|thai`,
    countries: `germany deutschland|france frankreich|spain spanien españa|italy italien|portugal|austria österreich|australia|switzerland schweiz|netherlands holland|belgium|poland|russia|ukraine|turkey|greece|sweden|norway|denmark|finland|ireland|iceland|england|scotland|wales|britain uk|usa america us|canada|mexico|brazil|argentina|chile|peru|colombia|china|japan|korea|india|pakistan|indonesia|thailand|vietnam|philippines|malaysia|singapore|egypt|morocco|nigeria|kenya|ethiopia|israel|iran|iraq|romania|hungary|bulgaria|czechia|slovakia|slovenia|croatia|serbia|europe|asia|africa`,
    cities: `berlin|paris|london|madrid|rome rom roma|vienna wien|zurich zürich|geneva|bern|amsterdam|brussels|warsaw|prague|budapest|athens|lisbon|dublin|oslo|stockholm|copenhagen|helsinki|moscow|kyiv|istanbul|cairo|lagos|nairobi|dubai|mumbai|delhi|tokyo|osaka|kyoto|beijing|shanghai|seoul|sydney|melbourne|toronto|montreal|vancouver|chicago|boston|seattle|houston|dallas|denver|miami|munich münchen|hamburg|cologne köln|frankfurt|stuttgart|barcelona|milan|naples|lyon|marseille`,
    people: `alice|bob|carol|dave|eve|john|mary|anna|peter|paul|maria|michael|sarah|david|laura|james|robert|linda|susan|thomas|max|emma|julia|lukas|sophie|jan|tom|jane|kate|steve|bill|jeff|elon|mark|frank|jack|kim|lee|smith|müller|schmidt|meier`,
    techs: `python|javascript js|typescript ts|java|kotlin|swift|rust|golang|ruby|php|perl|scala|haskell|c++|c#|sql|postgres postgresql|mysql|sqlite|mongodb|redis|kafka|react|vue|angular|svelte|django|flask|rails|spring|docker|kubernetes k8s|aws|azure|gcp|linux|windows|macos mac|android|ios iphone|npm|pip|yarn|git|svn|json|xml|yaml|csv|pdf|html|css|http|https|ftp|ssh|tcp|udp|ipv4|ipv6`,
    planets: 'mercury|venus|earth|mars|jupiter|saturn|uranus|neptune|pluto|moon|sun',
    questions: 'who whom wer qui quién|when wann quand cuándo|where wo où dónde|why warum pourquoi',
    environments: 'production prod|staging|development dev|test testing|sandbox',
    directions: 'north northern|south southern|east eastern|west western',
    animals:
      'dog dogs|cat cats|horse horses|cow cows|bird birds|fish|mouse|sheep|goat|pig pigs|chicken|rabbit|lion|tiger|elephant|snake',
  }).map(([name, text]) => [name, text.split(/[|\n]/).map(words)]),
);

/** Numbers as words: 1.5 is never written so, and what is beyond these is written in digits. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  [
    'zero null zéro cero',
    'one eins un une uno una einer einen erste first 1st',
    'two zwei deux dos second 2nd twice zweimal double both',
    'three drei trois tres third 3rd thrice triple',
    'four vier quatre cuatro fourth 4th',
    'five fünf cinq cinco fifth 5th',
    'six sechs seis sixth 6th',
    'seven sieben sept siete seventh 7th',
    'eight acht huit ocho eighth 8th',
    'nine neun neuf nueve ninth 9th',
    'ten zehn dix diez tenth 10th',
    'eleven elf onze once',
    'twelve zwölf douze doce dozen',
  ].flatMap((line, value) => words(line).map((word): [string, string] => [word, String(value)])),
);
for (const [value, line] of Object.entries({
  15: 'fifteen fünfzehn quinze quince',
  20: 'twenty zwanzig vingt veinte',
  30: 'thirty dreißig trente treinta',
  40: 'forty vierzig quarante cuarenta',
  50: 'fifty fünfzig cinquante cincuenta',
  60: 'sixty sechzig soixante sesenta',
  90: 'ninety neunzig noventa',
  100: 'hundred hundert cent cien',
  1000: 'thousand tausend mille mil',
  1000000: 'million millionen millón',
  1000000000: 'billion milliarde milliarden milliard',
})) {
  for (const word of words(line)) (NUMBER_WORDS as Map<string, string>).set(word, value);
}

/** Words that a sentence may begin with: there a capital letter says nothing. */
export const SENTENCE_STARTERS: ReadonlySet<string> = new Set(
  words(`
  a about add all an and any are as ask at be best book build calculate call can change check compare compose convert could count create cut
  define delete describe did difference do does draft each enable every example explain extract fetch find fix for format from generate get give go had has
  have help her hi hello here his how i identify if improve in is it its let's let list long look make many may me might my name need
  new now number of on one open or our outline please plan print prove provide put rank read recommend remove rename reply reset return rewrite run
  say schedule search send set shorten should show simplify so solve some start state steps stop suggest summarise summarize tell
  that the their then there these they this those tips to top transfer translate turn update use using was ways we were what what's when where which
  who whose why will with would write you your disable deactivate activate turn convert close increase decrease
  bitte wie was wann wo warum wer erkläre schreibe zeige nenne übersetze comment quel quelle quels pourquoi où qui explique écris montre traduis
  cómo qué cuál cuándo dónde quién explica escribe muestra traduce lista dame
`),
);
