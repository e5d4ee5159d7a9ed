//! The tables of a graph's file; `docs/format.md` tells what they mean.

/// Marks the file as ours: `mgeG`.
pub(super) const APPLICATION_ID: i32 = 0x6d67_6547;
/// The format that this version writes. A newer one is refused.
pub(super) const FORMAT: i32 = 2;

/// What a crawl and a curator put in: never computed anew.
const PRIMARY: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE entry (
    id INTEGER PRIMARY KEY, ulid BLOB NOT NULL, kind INTEGER NOT NULL, cause INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX entry_curated ON entry (kind, id) WHERE kind >= 3;
CREATE TABLE reading (key BLOB PRIMARY KEY, entry INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE document (
    id INTEGER PRIMARY KEY, idx TEXT NOT NULL, source TEXT NOT NULL, digest BLOB NOT NULL,
    size INTEGER NOT NULL, modified INTEGER, opened INTEGER NOT NULL, version BLOB NOT NULL,
    title TEXT, language TEXT, date_from INTEGER, date_to INTEGER, stated_authority INTEGER, authority INTEGER NOT NULL,
    chunks INTEGER NOT NULL, unread INTEGER NOT NULL, failed INTEGER NOT NULL,
    seen_at INTEGER NOT NULL, gone_at INTEGER
);
CREATE UNIQUE INDEX document_live ON document (idx) WHERE gone_at IS NULL;
CREATE INDEX document_digest ON document (digest) WHERE gone_at IS NULL;
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES document (id), ord INTEGER NOT NULL,
    local TEXT NOT NULL, kind INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    text TEXT NOT NULL, map BLOB NOT NULL, heading TEXT NOT NULL, key BLOB NOT NULL,
    state INTEGER NOT NULL, reason TEXT, read_at INTEGER, gone_at INTEGER, page TEXT
);
CREATE INDEX chunk_document ON chunk (document, ord);
CREATE TABLE failure (idx TEXT PRIMARY KEY, reason TEXT NOT NULL, transient INTEGER NOT NULL, at INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE former_entity (public TEXT PRIMARY KEY, concept TEXT NOT NULL, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE former_claim (key TEXT PRIMARY KEY, parts TEXT NOT NULL) WITHOUT ROWID;
";

/// What makes a file of format 1 one of format 2.
pub(super) const FROM_1: &str = "ALTER TABLE chunk ADD COLUMN page TEXT";

/// What follows from the primary tables, the ontology and the configuration.
const DERIVED: &str = "
CREATE TABLE mention (
    chunk INTEGER NOT NULL, n INTEGER NOT NULL, node INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    form INTEGER NOT NULL, confidence INTEGER NOT NULL, identity INTEGER NOT NULL, method INTEGER NOT NULL,
    live INTEGER NOT NULL, PRIMARY KEY (chunk, n)
) WITHOUT ROWID;
CREATE INDEX mention_node ON mention (node);
CREATE TABLE evidence (
    chunk INTEGER NOT NULL, n INTEGER NOT NULL, claim INTEGER NOT NULL, status INTEGER NOT NULL,
    subject INTEGER NOT NULL, relation INTEGER NOT NULL, object INTEGER NOT NULL, literal TEXT NOT NULL,
    stance INTEGER NOT NULL, confidence INTEGER NOT NULL, subject_identity INTEGER NOT NULL,
    object_identity INTEGER NOT NULL, quote_start INTEGER NOT NULL, quote_end INTEGER NOT NULL,
    valid_from INTEGER, valid_to INTEGER, tense INTEGER NOT NULL, method INTEGER NOT NULL,
    live INTEGER NOT NULL, PRIMARY KEY (chunk, n)
) WITHOUT ROWID;
CREATE INDEX evidence_claim ON evidence (claim) WHERE claim <> 0;
CREATE INDEX evidence_subject ON evidence (subject);
CREATE INDEX evidence_object ON evidence (object) WHERE object <> 0;
CREATE INDEX evidence_status ON evidence (status) WHERE status <> 0;
CREATE TABLE node (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, top INTEGER NOT NULL, concept INTEGER NOT NULL, base TEXT,
    entity INTEGER NOT NULL, mentions INTEGER NOT NULL, weight INTEGER NOT NULL, refs INTEGER NOT NULL
);
CREATE UNIQUE INDEX node_key ON node (key, top, concept);
CREATE INDEX node_entity ON node (entity);
CREATE INDEX node_base ON node (base, top) WHERE base IS NOT NULL;
CREATE TABLE surface (
    node INTEGER NOT NULL, text TEXT NOT NULL, full INTEGER NOT NULL, refs INTEGER NOT NULL, PRIMARY KEY (node, text)
) WITHOUT ROWID;
CREATE TABLE alias (
    node INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (node, key, text)
) WITHOUT ROWID;
CREATE INDEX alias_key ON alias (key);
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, public TEXT NOT NULL, base TEXT NOT NULL, concept INTEGER NOT NULL, name TEXT NOT NULL,
    mentions INTEGER NOT NULL, refs INTEGER NOT NULL, live INTEGER NOT NULL
);
CREATE INDEX entity_public ON entity (public);
CREATE INDEX entity_base ON entity (base);
CREATE TABLE name (
    key TEXT NOT NULL, entity INTEGER NOT NULL, text TEXT NOT NULL, kind INTEGER NOT NULL,
    PRIMARY KEY (key, entity, text)
) WITHOUT ROWID;
CREATE INDEX name_entity ON name (entity);
CREATE TABLE token (token TEXT NOT NULL, entity INTEGER NOT NULL, PRIMARY KEY (token, entity)) WITHOUT ROWID;
CREATE TABLE claim (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, subject INTEGER NOT NULL, relation INTEGER NOT NULL,
    object INTEGER NOT NULL, literal TEXT NOT NULL, evidence INTEGER NOT NULL,
    belief INTEGER NOT NULL, disbelief INTEGER NOT NULL, uncertainty INTEGER NOT NULL, conflict INTEGER NOT NULL
);
CREATE UNIQUE INDEX claim_parts ON claim (subject, relation, object, literal);
CREATE INDEX claim_object ON claim (object, relation) WHERE object <> 0;
CREATE INDEX claim_key ON claim (key);
CREATE INDEX claim_conflict ON claim (conflict) WHERE conflict <> 0;
CREATE TABLE period (
    claim INTEGER NOT NULL, n INTEGER NOT NULL, valid_from INTEGER, valid_to INTEGER,
    support INTEGER NOT NULL, contradiction INTEGER NOT NULL, conflict INTEGER NOT NULL, belief INTEGER NOT NULL,
    disbelief INTEGER NOT NULL, uncertainty INTEGER NOT NULL, assumed INTEGER NOT NULL, basis INTEGER NOT NULL,
    PRIMARY KEY (claim, n)
) WITHOUT ROWID;
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE passage USING fts5(
    words, content='', contentless_delete=1, tokenize=\"unicode61 remove_diacritics 2 tokenchars '+#&'\"
);
";

/// The derived tables, each before what it leans on.
pub(crate) const DERIVED_TABLES: [&str; 12] = [
    "period", "claim", "token", "name", "entity", "alias", "surface", "node", "evidence", "mention",
    "counter", "passage",
];

/// Returns all that a fresh file is made with.
pub(super) fn create() -> String {
    format!("{PRIMARY}{DERIVED}")
}
