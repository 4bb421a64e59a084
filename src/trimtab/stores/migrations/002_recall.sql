-- Recall over whole projects: words, tags, literals and vectors. What 001 had stored is indexed anew here.
-- `words_place` and `words_document` are ours (index.py), registered before migrations run.

-- Terms carry their project's number, so a project's word lists are its own whatever else the file holds.
CREATE TABLE projects (
    project_no INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    UNIQUE (tenant_id, project_id)
);

INSERT INTO projects (tenant_id, project_id) SELECT DISTINCT tenant_id, project_id FROM lanes;

ALTER TABLE lanes ADD COLUMN project_no INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN newest_doc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN removed_count INTEGER NOT NULL DEFAULT 0; -- turns dropped or replaced so far
-- Literals come in with their entries after `literals_from`; of what is older, those up to `literals_upto` are there.
ALTER TABLE lanes ADD COLUMN literals_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN literals_upto INTEGER NOT NULL DEFAULT 0;

-- AUTOINCREMENT: an index in memory must never take a new row for one that it knows.
CREATE TABLE turns_002 (
    doc INTEGER PRIMARY KEY AUTOINCREMENT,
    lane_no INTEGER NOT NULL, -- lanes has the four names
    turn_id INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,       -- 'turn', or 'fragment' of a document
    length INTEGER NOT NULL,  -- number of terms
    tags BLOB NOT NULL,       -- JSON, or empty
    origin_ids BLOB NOT NULL, -- JSON, or empty
    codec TEXT NOT NULL,      -- of the terms; the key is that of the whole row, tags included
    key_id TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    terms BLOB NOT NULL,
    UNIQUE (lane_no, turn_id)
);

INSERT INTO turns_002
    SELECT doc, lane_no, turn_id, first_seq, turns.last_seq, at_ms, role, 'turn', length, tags, origin_ids, codec, key_id, checksum, terms
    FROM turns JOIN lanes USING (tenant_id, project_id, session_id, lane_id) ORDER BY doc;

DROP TABLE turns;
ALTER TABLE turns_002 RENAME TO turns;
CREATE INDEX turn_order ON turns (lane_no, first_seq);
CREATE INDEX turn_times ON turns (lane_no, at_ms);

UPDATE lanes SET
    project_no = (SELECT project_no FROM projects WHERE projects.tenant_id = lanes.tenant_id AND projects.project_id = lanes.project_id),
    newest_doc = (SELECT coalesce(max(doc), 0) FROM turns WHERE turns.lane_no = lanes.lane_no),
    literals_from = last_seq;

-- A row's number is its place: lane, doc and length in one integer, so that a lane is one stretch of every list.
DROP TABLE word_places;
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5 (terms, content = '', columnsize = 0, detail = none, tokenize = 'ascii');

INSERT INTO words (rowid, terms)
    SELECT words_place(lane_no, doc, length), words_document(project_no, role, kind, tags, codec, key_id, checksum, terms)
    FROM turns JOIN lanes USING (lane_no) ORDER BY lane_no, doc;

-- Exact strings by entry; a row's number is made of lane and seq.
CREATE VIRTUAL TABLE literals USING fts5 (words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');

CREATE TABLE embedders (
    embedder_no INTEGER PRIMARY KEY,
    embedder_id TEXT NOT NULL UNIQUE
);

CREATE TABLE vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- grows with arrival
    doc INTEGER NOT NULL,
    window INTEGER NOT NULL,
    embedder_no INTEGER NOT NULL,
    lane_no INTEGER NOT NULL,
    data BLOB NOT NULL -- little-endian float16
);

-- With the lane in it, what is read for a scope is found without opening the rows of others.
CREATE UNIQUE INDEX vector_windows ON vectors (doc, embedder_no, window, lane_no);
-- What arrived since for a scope, whatever arrived for others: the row's number is in it by itself.
CREATE INDEX vector_arrivals ON vectors (lane_no);
