//! The closed word lists of the rules, by subject. English; other languages have names, tables and cues only.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What is known of a word by itself; a word may be of several classes.
pub(crate) type Class = u32;

pub(crate) const DETERMINER: Class = 1;
pub(crate) const PREPOSITION: Class = 1 << 1;
pub(crate) const BE: Class = 1 << 2;
pub(crate) const HAVE: Class = 1 << 3;
pub(crate) const MODAL: Class = 1 << 4;
pub(crate) const DO: Class = 1 << 5;
pub(crate) const PERSONAL: Class = 1 << 6;
pub(crate) const POSSESSIVE: Class = 1 << 7;
pub(crate) const RELATIVE: Class = 1 << 8;
pub(crate) const AND: Class = 1 << 9;
pub(crate) const BUT: Class = 1 << 10;
pub(crate) const SUBORDINATE: Class = 1 << 11;
pub(crate) const NEGATION: Class = 1 << 12;
pub(crate) const ADVERB: Class = 1 << 13;
pub(crate) const CALENDAR: Class = 1 << 14;
pub(crate) const HONORIFIC: Class = 1 << 15;
pub(crate) const STARTER: Class = 1 << 16;
pub(crate) const HYPOTHETICAL: Class = 1 << 17;
pub(crate) const REPORT: Class = 1 << 18;
pub(crate) const HEDGE: Class = 1 << 19;
pub(crate) const FORMER: Class = 1 << 20;
pub(crate) const COPULA_LIKE: Class = 1 << 21;
pub(crate) const APPOINT: Class = 1 << 22;
pub(crate) const VERB: Class = 1 << 23;
pub(crate) const PARTICLE: Class = 1 << 24;
pub(crate) const LEGAL: Class = 1 << 25;
pub(crate) const NAME_HEAD: Class = 1 << 26;
pub(crate) const GIVEN: Class = 1 << 27;
pub(crate) const PARTICIPLE: Class = 1 << 28;
pub(crate) const ORDINAL: Class = 1 << 29;
pub(crate) const CEASE: Class = 1 << 30;
pub(crate) const PEOPLE_ADJECTIVE: Class = 1 << 31;

/// Any auxiliary.
pub(crate) const AUXILIARY: Class = BE | HAVE | MODAL | DO;

const LISTS: &[(Class, &str)] = &[
    (
        DETERMINER,
        "the a an this that these those another each every some any no both all either neither such same",
    ),
    (
        PREPOSITION,
        "of in on at by for from with to into onto over under near about after before since until till between \
         during within without through throughout across against among amongst around behind below beneath beside \
         besides beyond despite down inside outside like off opposite out per past regarding toward towards up upon \
         via as along alongside amid above except concerning than following including",
    ),
    (BE, "is are was were be been being am isn't aren't wasn't weren't"),
    (HAVE, "has have had having hasn't haven't hadn't"),
    (DO, "does do did doesn't don't didn't"),
    (
        MODAL,
        "will would shall should can could may might must won't wouldn't can't cannot couldn't shouldn't mustn't \
         mightn't",
    ),
    (PERSONAL, "he she they it him them i we you us me himself herself itself themselves"),
    (POSSESSIVE, "his her its their my our your whose"),
    (RELATIVE, "who which whom whose that where"),
    (AND, "and or & nor plus"),
    (BUT, "but yet however though although whereas while"),
    (
        SUBORDINATE,
        "because when while if unless whether although though whereas since once after before until so that \
         lest as wherever whenever",
    ),
    (
        NEGATION,
        "not never n't isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't \
         cannot couldn't shouldn't neither nor hardly",
    ),
    (
        ADVERB,
        "also still now currently then later formerly previously originally first initially eventually finally \
         again already only just recently soon once today there here always often usually mainly mostly jointly \
         together alone both even ever thus therefore subsequently meanwhile presently temporarily officially \
         permanently directly briefly immediately twice too well so very quite rather instead afterwards thereafter \
         long not never about approximately around roughly nearly almost some",
    ),
    (
        CALENDAR,
        "january february march april may june july august september october november december monday tuesday \
         wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec spring summer \
         autumn winter christmas easter ad bc bce ce",
    ),
    (
        HONORIFIC,
        "mr mrs ms miss mx dr doctor prof professor sir dame lady lord madam mister captain capt father fr rev \
         reverend sister brother saint st king queen prince princess emperor empress pope cardinal bishop archbishop \
         president chancellor senator sen governor gov mayor judge justice general gen colonel col major maj \
         lieutenant lt sergeant sgt admiral commander commodore ambassador minister rabbi imam sheikh sultan \
         councillor officer inspector constable deputy chef coach nurse aunt uncle señor señora herr frau \
         monsieur madame mademoiselle",
    ),
    (
        STARTER,
        "the a an this that these those it he she they we you i his her its their our my your in on at by for from \
         with to of as after before since until during when while where who what which why how if because although \
         though however but and or nor yet so then there here now today yesterday tomorrow soon later still also even \
         only just both all each every some many most few several other another such no not never one two three four \
         five six seven eight nine ten once twice first second third last next early late former formerly \
         previously originally initially eventually finally recently currently meanwhile moreover furthermore \
         therefore thus hence instead indeed perhaps maybe please note see according despite unlike like among \
         between within without through under over near about around across against along above below behind \
         following including additionally besides together today's born founded located based built established \
         known named called written directed produced published released led held situated set used made given \
         please dear yes see about more less much any either neither nobody everyone everybody someone somebody \
         anyone nothing everything something none half part work works new old young great small large long \
         little good best better since unless whether whereas whenever wherever whoever whatever especially \
         apart due owing thanks contrary subsequently afterwards nevertheless nonetheless consequently \
         accordingly likewise similarly otherwise rather almost nearly roughly approximately exactly people \
         visitors members residents inhabitants students workers children men women",
    ),
    (
        HYPOTHETICAL,
        "might may would could should if unless whether perhaps maybe possibly potentially hypothetically plan plans \
         planned planning hope hopes hoped hoping intend intends intended expects expected propose proposes \
         proposed proposal proposals consider considers considered considering want wants wanted wish wishes wished \
         likely would-be prospective aims aspires suppose supposing wouldn't couldn't shouldn't mightn't recommend \
         recommends recommended suggest suggests suggested urge urged candidate nominee offered asked invited \
         applied ought supposed thinking seeks sought tried attempted refuses refused",
    ),
    (
        REPORT,
        "said says say told tells reported reports announced announces stated states wrote writes explained \
         explains added confirmed confirms noted notes according remembers recalls insisted insists declared \
         declares argued argues believes believed thinks thought",
    ),
    (
        HEDGE,
        "rumoured rumored rumour rumours rumor rumors alleged alleges allegedly reportedly supposedly purportedly \
         claims claimed claim claiming apparently presumably probably unconfirmed hearsay gossip believed thought \
         seemingly ostensibly seems suspected suspects guess guesses",
    ),
    (
        FORMER,
        "former ex-president formerly ex previous previously erstwhile onetime one-time retired late past",
    ),
    (COPULA_LIKE, "became become becomes remained remains remain becoming seemed"),
    (
        APPOINT,
        "appointed elected named made chosen hired nominated crowned installed confirmed appoints elects names \
         declared designated promoted reappointed re-elected selected picked sworn proclaimed recruited ordained",
    ),
    (PEOPLE_ADJECTIVE, PEOPLES),
    (CEASE, "ceased stopped resigned quit stepped retired left lost leaves resigns retires departed"),
    (
        PARTICLE,
        "of de van von der den del della di da du la le el al bin ibn the and for y e des dos das ter ten zu zur \
         af av op aan upon",
    ),
    (
        LEGAL,
        "inc inc. ltd ltd. llc plc corp corp. co co. gmbh ag sa s.a. s.p.a. spa bv b.v. nv n.v. oy ab as a/s kg kk \
         limited incorporated corporation pty llp lp se",
    ),
    (
        NAME_HEAD,
        "university institute institution ministry department battle bank house museum church republic kingdom isle \
         lake port bay gulf order school college academy faculty office bureau board council committee commission \
         court chamber society association federation union league foundation fund center centre company city town \
         village county province state duchy archdiocese diocese cathedral abbey temple palace castle tower bridge \
         hall library theatre theater journal bulletin review gazette treaty act siege war university hospital \
         agency authority club conference congress parliament assembly house archive archives observatory gallery \
         opera orchestra choir guild trust institute laboratory school bridge fort mount cape strait sea river \
         valley district borough parish church mosque synagogue monastery convent festival feast tour cup prize \
         award medal legion register bridge strait harbour harbor royal national international laboratories \
         studio studios group network service services corps army navy guard brotherhood sons daughters friends \
         knights  united states isles islands commonwealth",
    ),
    (
        ORDINAL,
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth 1st 2nd 3rd 4th 5th 6th \
         7th 8th 9th 10th eldest youngest oldest current present new longtime long-time then sole only main chief \
         deputy acting interim honorary founding assistant vice co associate senior junior principal",
    ),
];

/// Irregular forms: base, then past and participle forms. The regular ones are made by `stem`.
const IRREGULAR: &[(&str, &str)] = &[
    ("be", "am is are was were been being"),
    ("bear", "bore borne"),
    ("become", "became becomes"),
    ("begin", "began begun"),
    ("bring", "brought"),
    ("build", "built"),
    ("buy", "bought"),
    ("catch", "caught"),
    ("choose", "chose chosen"),
    ("come", "came"),
    ("draw", "drew drawn"),
    ("drive", "drove driven"),
    ("fall", "fell fallen"),
    ("feed", "fed"),
    ("fight", "fought"),
    ("find", "found finds finding"),
    ("fly", "flew flown"),
    ("get", "got gotten"),
    ("give", "gave given"),
    ("go", "went gone goes"),
    ("grow", "grew grown"),
    ("hang", "hung"),
    ("have", "has had having"),
    ("hold", "held"),
    ("keep", "kept"),
    ("know", "knew known"),
    ("lay", "laid"),
    ("lead", "led"),
    ("leave", "left"),
    ("lend", "lent"),
    ("lie", "lies lay lain lying"),
    ("lose", "lost"),
    ("make", "made"),
    ("meet", "met"),
    ("overlook", "overlooks"),
    ("pay", "paid"),
    ("rise", "rose risen"),
    ("run", "ran"),
    ("say", "said"),
    ("see", "saw seen"),
    ("sell", "sold"),
    ("send", "sent"),
    ("shoot", "shot"),
    ("sing", "sang sung"),
    ("sit", "sat"),
    ("slay", "slew slain"),
    ("speak", "spoke spoken"),
    ("spend", "spent"),
    ("spin", "spun"),
    ("split", "splits"),
    ("stand", "stood"),
    ("steal", "stole stolen"),
    ("swim", "swam swum"),
    ("take", "took taken"),
    ("teach", "taught"),
    ("tell", "told"),
    ("think", "thought"),
    ("undertake", "undertook undertaken"),
    ("wear", "wore worn"),
    ("win", "won"),
    ("write", "wrote written"),
    ("oversee", "oversaw overseen"),
    ("strike", "struck"),
    ("succeed", "succeeded"),
    ("use", "used uses using"),
];

/// Participles that are told from a past form by their own shape.
const PARTICIPLES: &str = "been begun brought built bought caught chosen come drawn driven fallen fed fought found \
    flown given gone grown held hung kept known laid led left lent lost made met paid risen run said seen sold sent \
    shot sung slain spoken spent spun split stolen taken taught told thought won written overseen struck set born \
    put cut read hit cast";

/// Verbs by base form, without which a third person singular looks like a plural noun.
const VERBS: &str = "lead founded own run play win work teach write direct produce compose perform manage head chair coach \
    command operate maintain publish edit design build found create establish launch join serve live reside move \
    settle study attend graduate marry succeed replace follow include contain comprise consist border flow empty \
    drain feature star release record acquire buy sell purchase employ hire develop supply support fund finance \
    sponsor host organise organize represent sing conduct train captain sail ship carry connect link cross pass \
    reach depend require need use implement provide offer belong stand lie sit begin start end open close hold \
    receive earn award grant give take make report oversee supervise guide advise assist help treat cure cause \
    prevent contribute participate compete race discover invent patent explore visit travel leave enter return arrive \
    depart die kill shoot murder assassinate defeat beat lose invade attack occupy capture liberate sign ratify adopt \
    pass enact amend repeal translate adapt inspire influence portray depict describe mention cite house store keep \
    display exhibit show tell say state announce confirm deny claim argue believe think know see find call name \
    rename nickname mean become remain seem appear look feel have get put set bring send pay spend cost weigh \
    measure rank rate score tie coordinate steer repair restore rebuild demolish destroy damage moor dock berth \
    speak love like want hope plan expect intend try continue stop cease resign retire step chair found sculpt paint \
    voice narrate present broadcast air premiere debut license distribute trade export import grow raise breed \
    produce mine extract process manufacture assemble test deploy install host run monitor audit inspect review approve \
    reject accept refuse decline vote elect appoint nominate promote fire dismiss suspend arrest charge convict sentence \
    sue settle merge split form dissolve disband collaborate partner cooperate negotiate mediate preside reign \
    rule govern administer patrol guard protect defend conserve study research examine investigate analyse analyze \
    prove show demonstrate propose suggest recommend call convene meet gather celebrate honour honor commemorate \
    dedicate bury inter crown ordain consecrate baptise baptize bless preach worship pray walk ride drive fly swim";

/// Plural nouns that look like verbs in the third person.
const PLURALS: &str = "headquarters offices studios members players artists alumni children brothers sisters parents \
    sons daughters residents inhabitants employees students pupils rooms seats stories floors beds bells people \
    tributaries states countries winners recipients participants series news cities islands hectares \
    acres miles kilometres kilometers metres meters feet years officials authors directors founders owners";

/// Given names common in several languages: they only help where a text leaves a choice.
const GIVEN_NAMES: &str = "aaron adam adrian agnes ahmed alan albert alejandro alex alexander alfred ali alice alicia \
    amanda amelia amina amy ana andrea andreas andrew angela anita ann anna anne anthony antonio arthur barbara beatrice \
    ben benjamin bernard bill bob boris brian bruce carl carla carlos carmen caroline catherine cecilia charles \
    charlotte chris christian christina christine christopher clara claire colin daniel david deborah dennis diana diego \
    dmitri donald dorothy edgar edith eduardo edward elena eleanor elisabeth elizabeth ella ellen elsa emil emily emma \
    eric erik ernest esther eva fatima felix fernando florence frances francis francisco frank franz fred frederick \
    gabriel george gerald gerard giovanni giulia grace greta gustav hannah hans harold harry hassan heinrich helen \
    helena henri henry herbert hiroshi hugo ian ibrahim ida igor ines ingrid irene isaac isabel ivan jack jacob jacques \
    james jan jane janet jean jeffrey jennifer jessica jim joan joe johan johann john jonas jonathan jorge jose joseph \
    juan julia julian julie karen karin karl kate katherine kenneth kevin klaus kurt lars laura lawrence leo leon leonard \
    lena linda lisa louis louise lucas lucia lucy luis luke magnus marco marcus margaret maria marie mark martha martin \
    mary matthew max michael miguel mikhail mohammed monica nadia nancy natalia nathan nicholas nicolas nina noah nora \
    olga oliver olivia omar oscar otto pablo patricia patrick paul paula pedro peter philip pierre rachel ralph raymond \
    rebecca richard rita robert roberto robin roger ronald rosa rose ruth ryan sam samuel sandra sara sarah sergei \
    simon sofia sophia sophie stefan stella stephen steven stuart susan sven sylvia teresa theodore thomas tim timothy \
    tom tomas tony ursula valentina vera vera victor victoria vincent viktor vladimir walter wei werner wilhelm william \
    yuki yusuf zoe";

static CLASSES: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    let mut classes: HashMap<&'static str, Class> = HashMap::new();
    let lists = LISTS.iter().copied().chain([(PARTICIPLE, PARTICIPLES), (GIVEN, GIVEN_NAMES)]);
    for (class, words) in lists {
        for word in words.split_whitespace() {
            *classes.entry(word).or_default() |= class;
        }
    }
    for (base, forms) in IRREGULAR {
        if *base != "be" {
            *classes.entry(base).or_default() |= VERB;
            for form in forms.split_whitespace() {
                *classes.entry(form).or_default() |= VERB;
            }
        }
    }
    classes
});

static BASES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    IRREGULAR
        .iter()
        .filter(|(base, _)| *base != "be")
        .flat_map(|(base, forms)| forms.split_whitespace().map(move |form| (form, *base)))
        .collect()
});

static VERB_STEMS: LazyLock<std::collections::HashSet<String>> =
    LazyLock::new(|| VERBS.split_whitespace().map(crate::stem::stem).collect());

static PLURAL_NOUNS: LazyLock<std::collections::HashSet<&'static str>> =
    LazyLock::new(|| PLURALS.split_whitespace().collect());

/// Returns all that is known of a word in lower case.
pub(crate) fn class(lower: &str) -> Class {
    CLASSES.get(lower).copied().unwrap_or(0)
}

/// Returns the base form of an irregular one.
pub(crate) fn irregular_base(lower: &str) -> Option<&'static str> {
    BASES.get(lower).copied()
}

/// Tells whether the stem is that of a common verb.
pub(crate) fn is_verb_stem(stem: &str) -> bool {
    VERB_STEMS.contains(stem)
}

/// Tells whether the word is a noun in the plural that looks like a verb.
pub(crate) fn is_plural_noun(lower: &str) -> bool {
    PLURAL_NOUNS.contains(lower)
}

/// Abbreviations that end in a full stop within a sentence.
pub(crate) const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "sr", "jr", "rev", "hon", "gen", "col", "capt", "lt", "sgt",
    "maj", "gov", "sen", "rep", "fr", "no", "nos", "vol", "vols", "pp", "ed", "eds", "fig", "figs", "vs",
    "cf", "ca", "approx", "pvt", "inc", "ltd", "co", "corp", "bros", "dept", "est", "jan", "feb", "mar",
    "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mt", "ft", "ave", "blvd", "rd", "art",
    "sec", "ch", "al", "op", "etc", "tel", "univ", "assn", "min", "max", "ref", "e.g", "i.e", "a.m", "p.m",
    "d.c", "u.s", "u.k", "ph.d", "b.a", "m.a", "m.d", "bsc", "msc",
];

/// Adjectives of peoples and places, which look like names.
pub(crate) const PEOPLES: &str = "american british english scottish welsh irish french german italian spanish portuguese \
    dutch belgian swiss austrian polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian \
    swedish norwegian danish finnish icelandic estonian latvian lithuanian serbian croatian slovenian bosnian albanian \
    macedonian canadian mexican brazilian argentine argentinian chilean peruvian colombian venezuelan cuban bolivian \
    ecuadorian uruguayan paraguayan jamaican haitian puerto-rican australian indian pakistani bangladeshi nepali \
    chinese japanese korean vietnamese thai indonesian malaysian filipino philippine burmese cambodian mongolian \
    tibetan afghan iranian persian iraqi syrian lebanese israeli palestinian jordanian saudi arab arabic egyptian \
    libyan tunisian algerian moroccan sudanese ethiopian kenyan ugandan tanzanian nigerian ghanaian senegalese \
    congolese rwandan zimbabwean zambian angolan south african african asian european latin western eastern northern \
    southern jewish christian muslim catholic protestant orthodox buddhist hindu islamic roman soviet yugoslav \
    byzantine ottoman victorian medieval african-american anglo-saxon celtic basque catalan breton flemish bavarian \
    prussian saxon sicilian venetian californian texan hawaiian parisian londoner internet web";

/// Numbers in words.
pub(crate) const COUNTS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "twenty", "thirty", "hundred", "hundreds", "thousand", "million", "several", "many", "few",
];

/// What stands before the name of a ship.
pub(crate) const SHIP_PREFIXES: &[&str] =
    &["mv", "ms", "ss", "hms", "uss", "rms", "rv", "mt", "fv", "sv", "hmcs", "hmas", "m/v"];

/// Words that begin the name of a thing and say what it is: "Lake Elsa".
pub(crate) const FIRST_HEADS: &[&str] = &[
    "lake",
    "mount",
    "port",
    "fort",
    "cape",
    "isle",
    "island",
    "gulf",
    "camp",
    "hotel",
    "villa",
    "castle",
    "palazzo",
    "project",
    "operation",
    "hurricane",
    "typhoon",
    "cyclone",
    "storm",
    "planet",
    "route",
    "highway",
    "interstate",
    "loch",
    "lough",
    "point",
    "pier",
    "room",
    "ward",
    "dock",
    "berth",
    "flight",
    "radio",
    "studio",
    "team",
    "rio",
    "sierra",
    "river",
    "bay",
    "monte",
    "mont",
    "ferry",
    "ship",
    "building",
    "hall",
    "terminal",
    "station",
    "gate",
    "platform",
    "line",
    "street",
    "avenue",
    "château",
    "chateau",
    "saint",
    "st",
    "st.",
    "grand",
    "national",
    "club",
    "café",
    "cafe",
    "restaurant",
    "theatre",
    "theater",
    "house",
    "court",
    "plaza",
    "parc",
    "jardin",
    "glacier",
    "wadi",
    "comet",
    "asteroid",
    "apollo",
];

/// Words in the id or definition of a concept that say its instances are people.
pub(crate) const PEOPLE: &[&str] = &[
    "person",
    "people",
    "human",
    "individual",
    "someone",
    "somebody",
    "who",
    "man",
    "woman",
    "persons",
    "humans",
];

/// Nouns before "of" that name the kind of what follows: "the city of Bergen".
pub(crate) const KIND_OF: &[&str] = &[
    "city",
    "town",
    "village",
    "island",
    "port",
    "state",
    "province",
    "county",
    "district",
    "region",
    "kingdom",
    "republic",
    "municipality",
    "borough",
    "parish",
    "hamlet",
    "commune",
    "suburb",
    "canton",
    "principality",
    "isle",
    "continent",
    "peninsula",
    "community",
    "township",
    "department",
    "country",
    "territory",
    "neighbourhood",
    "neighborhood",
    "planet",
    "settlement",
];

/// Headers of columns that say when the row held, and how.
pub(crate) const TIME_HEADERS: &[&str] = &[
    "since",
    "from",
    "until",
    "to",
    "till",
    "year",
    "years",
    "period",
    "term",
    "date",
    "dates",
    "when",
    "time",
    "start",
    "end",
    "started",
    "ended",
    "began",
    "in office",
    "tenure",
    "season",
    "month",
    "day",
    "valid",
    "as of",
    "service",
];

/// Nouns that definitions begin with and that say nothing of what is defined.
pub(crate) const VAGUE: &[&str] = &[
    "body",
    "thing",
    "kind",
    "type",
    "form",
    "part",
    "piece",
    "set",
    "group",
    "series",
    "name",
    "named",
    "text",
    "place",
    "site",
    "work",
    "unit",
    "system",
    "area",
    "region",
    "space",
    "item",
    "object",
    "event",
    "member",
    "collection",
    "number",
    "way",
    "means",
    "result",
    "state",
    "process",
    "public",
    "system",
    "level",
    "class",
];

/// Words in the id or definition of a concept that say its instances are bodies of people.
pub(crate) const COLLECTIVES: &[&str] = &[
    "organization",
    "organisation",
    "company",
    "firm",
    "business",
    "institution",
    "institute",
    "body",
    "authority",
    "agency",
    "association",
    "society",
    "club",
    "team",
    "group",
    "community",
    "ministry",
    "government",
    "council",
    "bank",
    "museum",
    "hospital",
    "university",
    "school",
    "orchestra",
    "band",
    "party",
    "union",
    "foundation",
];

/// Words of programs that stand in code spans and name nothing.
pub(crate) const KEYWORDS: &[&str] = &[
    "self", "super", "let", "mut", "fn", "def", "var", "const", "static", "class", "struct", "enum", "impl",
    "trait", "match", "loop", "break", "return", "async", "await", "true", "false", "null", "none", "int",
    "str", "char", "type", "public", "private", "void", "main", "else", "elif", "try", "except", "catch",
    "throw", "yield", "lambda", "pass", "del", "global", "debug", "error", "warn", "info", "foo", "bar",
    "baz", "src", "lib", "mod", "ref", "dyn",
];

/// Verbs in their base form that name as well who does it.
pub(crate) const AGENTS: &[&str] =
    &["head", "chair", "coach", "captain", "host", "pilot", "guide", "sponsor", "partner", "judge", "patron"];
