-- Rows of every relationship of %(project)s, over the last %(span)s days; %(large)s has more of each.
-- Rows lie in the order of their time, as they do where they came in one by one. Statements end with a semicolon at the
-- end of a line. Random choices are by hash, so that each run draws the same.
CREATE TEMPORARY TABLE sizes AS
SELECT id AS relationship_id, companion_id, row_number() OVER (ORDER BY id) AS number,
       CASE WHEN id = %(large)s THEN %(of_large)s ELSE %(entries)s END AS entries,
       (%(each)s + CASE WHEN id = %(large)s THEN %(of_large)s ELSE 0 END) / 2 AS turns
  FROM relationships_relationship;

UPDATE relationships_enduser SET display_name = 'Person ' || substr(external_id, 6);

CREATE FUNCTION pg_temp.said(place bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT (ARRAY['likes','hates','wants','owns','lost','found','remembers','collects'])[1 + place %% 8] || ' '
    || (ARRAY['green','old','small','loud','quiet','heavy','broken','golden','cheap'])[1 + place %% 9] || ' '
    || CASE WHEN place %% 2003 = 0 THEN 'porcelain'
            ELSE (ARRAY['tea','dogs','boats','books','trains','shoes','songs','maps','hills','clocks','stamps'])[1 + place %% 11]
       END || ' number ' || place
$$;

INSERT INTO relationships_turn (relationship_id, id, project_id, seq, session, occurred_at, recorded_at, config, state,
       due_at, waits_for, attempts, leased_by, claimed_at, settled_at, error_code, error, model_call_ids,
       tags, category, modality)
SELECT s.relationship_id, uuidv7(), %(project)s, n * 3, CASE WHEN n %% 5 < 3 THEN 'current' ELSE 'week ' || n / 5 END,
       at, at, '{}', state, CASE WHEN state = 'pending' THEN at END, '', 1, '', at,
       CASE WHEN state = 'applied' THEN at + interval '2 seconds' END,
       CASE state WHEN 'failed' THEN 'provider_refused' WHEN 'skipped' THEN 'ingestion_disabled' ELSE '' END,
       CASE WHEN state = 'failed' THEN 'The provider refused the question.' ELSE '' END, '{}',
       '{}', '', 'text'
  FROM sizes s, generate_series(1, s.turns) n,
       LATERAL (SELECT now() - interval '1 day' * %(span)s * (1 - n::float / s.turns) - interval '1 second' * s.number AS at,
                CASE (s.number * 7919 + n) %% 500 WHEN 0 THEN 'failed' WHEN 1 THEN 'skipped' WHEN 2 THEN 'pending'
                     ELSE 'applied' END AS state) drawn
 ORDER BY at;

INSERT INTO relationships_message (relationship_id, id, project_id, turn_id, seq, session, role, speaker, content, metadata,
       occurred_at, recorded_at)
SELECT t.relationship_id, uuidv7(), t.project_id, t.id, t.seq + m, t.session,
       CASE m WHEN 0 THEN 'user' ELSE 'assistant' END, '',
       CASE m WHEN 0 THEN 'By the way, I ' ELSE 'You said that somebody ' END || pg_temp.said(t.seq * 31 + m)
       || '. It came up again yesterday, and I thought that I would tell you about it in a sentence or two.', '{}',
       t.occurred_at, t.recorded_at
  FROM relationships_turn t, generate_series(0, 1) m
 ORDER BY t.recorded_at, t.relationship_id, m;

INSERT INTO memory_scratchpadentry (relationship_id, id, project_id, type, tier, state, subject, content, content_hash,
       single_valued, importance, confidence, weight, pinned, read_only, tags, category, metadata, modality, source,
       source_message_ids, recorded_at, effective_at, access_count, version)
SELECT s.relationship_id, uuidv7(), %(project)s,
       (ARRAY['preference','event','relation','plan','other'])[1 + n %% 5],
       CASE WHEN n %% CASE WHEN s.relationship_id = %(large)s THEN 2 ELSE 5 END = 0 THEN 'archive' ELSE 'scratchpad' END,
       CASE WHEN n %% 10 = 9 THEN 'superseded' ELSE 'active' END, 'user', content,
       sha256(convert_to(content, 'UTF8')), false, 0.5, 0.9, 1, n %% 50 = 0, false, '{}', '', '{}', 'text', 'turn', '{}',
       at, at, 0, 1
  FROM sizes s, generate_series(1, s.entries) n,
       LATERAL (SELECT 'The user ' || pg_temp.said(s.number * 101 + n) AS content,
                now() - interval '1 day' * %(span)s * (1 - n::float / s.entries) - interval '1 second' * s.number AS at) drawn
 ORDER BY at;

INSERT INTO memory_entryrevision (relationship_id, id, project_id, entry_id, entry_version, seq, event, after, actor_kind,
       actor_id, turn_id, model, reason, recorded_at, effective_at)
SELECT e.relationship_id, uuidv7(), e.project_id, e.id, 1, 10000000 + e.place, 'add',
       to_jsonb(e) - '{relationship_id,project_id,last_accessed_at,access_count,place}'::text[]
       || jsonb_build_object('content_hash', encode(e.content_hash, 'hex')), 'model', 'offline',
       t.id, 'rules', 'The user said so.', e.recorded_at, e.effective_at
  FROM (SELECT *, row_number() OVER (PARTITION BY relationship_id ORDER BY effective_at) AS place
          FROM memory_scratchpadentry) e
  JOIN sizes s USING (relationship_id)
  LEFT JOIN relationships_turn t ON t.relationship_id = e.relationship_id AND t.seq = 3 * (1 + e.place %% s.turns)
 ORDER BY e.recorded_at;

INSERT INTO memory_searchtext (relationship_id, id, project_id, kind, owner_id, place, session, role, speaker, state,
       told_at, language, lexemes, length, text_hash, attempts, error_code)
SELECT relationship_id, uuidv7(), project_id, 'message', id, seq, session, role, speaker, '', occurred_at, 'simple',
       to_tsvector('simple', content), 20, sha256(convert_to(content, 'UTF8')), 0, ''
  FROM relationships_message
UNION ALL
SELECT relationship_id, uuidv7(), project_id, 'entry', id, 0, '', '', subject, state, effective_at, 'simple',
       to_tsvector('simple', content), 7, content_hash, 0, ''
  FROM memory_scratchpadentry;

INSERT INTO memory_modelcall (relationship_id, id, project_id, purpose, turn_ids, provider, model, system, prompt, answer,
       shown_entry_ids, shown_message_ids, reference_message_ids, prompt_tokens, output_tokens, cost, milliseconds,
       error_code, error, recorded_at)
SELECT relationship_id, uuidv7(), project_id, 'ingestion', ARRAY[id], 'offline', 'rules', 'Keep what lasts.',
       repeat('A line of what was said. ', 20), '{"operations": []}', '{}', '{}', '{}', 400, 40, 0.0002, 900, '', '',
       recorded_at
  FROM relationships_turn WHERE seq %% 4 = 0
 ORDER BY recorded_at;

INSERT INTO memory_helddeletion (relationship_id, id, project_id, turn_id, state, decided_by_kind, decided_by_id,
       recorded_at)
SELECT t.relationship_id, uuidv7(), t.project_id, t.id, 'waiting', '', '', t.recorded_at
  FROM relationships_turn t JOIN sizes s USING (relationship_id)
 WHERE t.seq = 3 AND s.number %% 500 = 1 AND t.relationship_id <> %(large)s;

INSERT INTO memory_operationresult (relationship_id, id, project_id, turn_id, number, kind, operation, verdict, reason,
       entry_id, entry_ids, message_ids, text, erased, held_id, entry_version, held_reason)
SELECT h.relationship_id, uuidv7(), h.project_id, h.turn_id, row_number() OVER (PARTITION BY h.id ORDER BY e.id) - 1,
       'delete', '{"op": "delete"}', 'held', '', e.id, ARRAY[e.id], '{}', '', false, h.id, 1, 'too many at once'
  FROM memory_helddeletion h JOIN memory_scratchpadentry e USING (relationship_id)
 WHERE e.state = 'active';

INSERT INTO relationships_auditevent (id, project_id, action, target_kind, actor_kind, actor_id, detail, recorded_at)
SELECT uuidv7(), %(project)s, (ARRAY['companion.changed','profile.changed','prompt.published'])[1 + n %% 3], 'companion',
       'operator', 'owner@example.org', '{}', now() - interval '1 minute' * n
  FROM generate_series(1, 20000) n;

UPDATE relationships_relationship r
   SET last_turn_at = now() - interval '1 second' * s.number, last_seq = 20000000, message_count = 2 * s.turns
  FROM sizes s WHERE s.relationship_id = r.id;
