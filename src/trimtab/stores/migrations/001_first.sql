-- The first schema. Every key begins with whose ledger it is; bodies and counts are shared inside a tenant only.

CREATE TABLE applied_migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    at_ms INTEGER NOT NULL
);

-- One row a lane: where it ends, so that nobody has to ask the ledger, and the totals that word ranking needs.
CREATE TABLE lanes (
    tenant_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    lane_no INTEGER NOT NULL UNIQUE, -- short name of the lane inside the word index
    last_seq INTEGER NOT NULL DEFAULT 0,
    last_request INTEGER NOT NULL DEFAULT 0,
    turn_count INTEGER NOT NULL DEFAULT 0,
    term_count INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, project_id, session_id, lane_id)
) WITHOUT ROWID;

CREATE TABLE entries (
    tenant_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    parent_seq INTEGER NOT NULL,
    at_node INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    request INTEGER NOT NULL,
    codec TEXT NOT NULL,   -- entries hold users' words too (items, pins): packed, checked and one day encrypted alike
    key_id TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (tenant_id, project_id, session_id, lane_id, seq)
) WITHOUT ROWID;

CREATE UNIQUE INDEX request_numbers
    ON entries (tenant_id, project_id, session_id, lane_id, request) WHERE request > 0;

-- With rowids: large rows stay whole on a leaf, and what was written together is read together.
CREATE TABLE bodies (
    tenant_id TEXT NOT NULL,
    body_id TEXT NOT NULL,
    codec TEXT NOT NULL,   -- '' as it is, 'zlib' compressed
    key_id TEXT NOT NULL,  -- '' not encrypted
    erased INTEGER NOT NULL DEFAULT 0,
    checksum INTEGER NOT NULL, -- CRC-32 of `data` as stored
    data BLOB NOT NULL,
    PRIMARY KEY (tenant_id, body_id)
);

-- Which lanes brought a body: it may go when none is left, and erasing for one lane knows of the others.
CREATE TABLE body_lanes (
    tenant_id TEXT NOT NULL,
    body_id TEXT NOT NULL,
    lane_no INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, body_id, lane_no)
) WITHOUT ROWID;

CREATE TABLE counts (
    tenant_id TEXT NOT NULL,
    body_id TEXT NOT NULL,
    counter_id TEXT NOT NULL,
    content_class TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, body_id, counter_id, content_class)
) WITHOUT ROWID;

-- A snapshot derives from every entry up to its seq; that range is its origin.
CREATE TABLE snapshots (
    tenant_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    codec TEXT NOT NULL,
    key_id TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (tenant_id, project_id, session_id, lane_id, seq)
) WITHOUT ROWID;

CREATE TABLE turns (
    doc INTEGER PRIMARY KEY, -- its row in `words`
    tenant_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    turn_id INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    role TEXT NOT NULL,
    length INTEGER NOT NULL, -- number of terms
    tags BLOB NOT NULL,       -- JSON, or empty
    origin_ids BLOB NOT NULL, -- JSON, or empty
    codec TEXT NOT NULL,      -- of the terms; the key is that of the whole row, tags included
    key_id TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    terms BLOB NOT NULL,
    UNIQUE (tenant_id, project_id, session_id, lane_id, turn_id)
);

-- Terms carry their lane's number, so a lane's word lists are its own whatever else the file holds.
-- Contentless: the terms are in `turns`. The terms come in cut; `ascii` splits them at spaces only (see search.py).
CREATE VIRTUAL TABLE words USING fts5 (terms, content = '', columnsize = 0, tokenize = 'ascii');

CREATE VIRTUAL TABLE word_places USING fts5vocab ('words', 'instance');
