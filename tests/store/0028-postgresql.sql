CREATE TABLE absence (
    id integer NOT NULL,
    player_id integer NOT NULL,
    first_day text NOT NULL,
    last_day text NOT NULL,
    created_at text NOT NULL,
    kind text DEFAULT 'announced'::text NOT NULL
);
CREATE SEQUENCE absence_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE absence_id_seq OWNED BY absence.id;
CREATE TABLE alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE challenge (
    id integer NOT NULL,
    ladder_id integer NOT NULL,
    challenger_id integer NOT NULL,
    asked_id integer NOT NULL,
    match_id integer,
    seat text,
    created_at text NOT NULL,
    done_at text,
    ending text,
    silent text DEFAULT ''::text NOT NULL
);
CREATE SEQUENCE challenge_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE challenge_id_seq OWNED BY challenge.id;
CREATE TABLE charge (
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seat text NOT NULL,
    bank integer,
    turns integer NOT NULL
);
CREATE TABLE clock (
    id integer NOT NULL,
    last_tick_at text
);
CREATE SEQUENCE clock_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE clock_id_seq OWNED BY clock.id;
CREATE TABLE club (
    id integer NOT NULL,
    domain text NOT NULL,
    fingerprints text DEFAULT ''::text NOT NULL,
    mark text DEFAULT ''::text NOT NULL,
    unsigned integer DEFAULT 0 NOT NULL,
    site_at text,
    saved_at text,
    restored_at text,
    epoch text DEFAULT ''::text NOT NULL,
    above integer DEFAULT 0 NOT NULL,
    unfilled_since integer
);
CREATE SEQUENCE club_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE club_id_seq OWNED BY club.id;
CREATE TABLE commitment (
    match_id integer NOT NULL,
    what text NOT NULL,
    seat text NOT NULL,
    ply integer NOT NULL,
    text text NOT NULL,
    salt text NOT NULL
);
CREATE TABLE conduct (
    match_id integer NOT NULL,
    seat text NOT NULL,
    ply integer NOT NULL,
    kind text NOT NULL,
    player_id integer NOT NULL,
    day text NOT NULL,
    hidden integer DEFAULT 0 NOT NULL
);
CREATE TABLE conduct_day (
    player_id integer NOT NULL,
    day text NOT NULL,
    on_time integer NOT NULL,
    missed integer NOT NULL,
    "left" integer NOT NULL,
    ended integer NOT NULL
);
CREATE TABLE declaration (
    id integer NOT NULL,
    match_id integer NOT NULL,
    seat text NOT NULL,
    kind text NOT NULL,
    received_at text NOT NULL,
    status text NOT NULL,
    settled_ply integer
);
CREATE SEQUENCE declaration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE declaration_id_seq OWNED BY declaration.id;
CREATE TABLE entry (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    player_id integer NOT NULL,
    number integer,
    status text NOT NULL,
    silent_forfeits integer DEFAULT 0 NOT NULL,
    silent_at text,
    entered_at text NOT NULL
);
CREATE TABLE entry_holder (
    entry_id integer NOT NULL,
    since_round integer NOT NULL,
    player_id integer NOT NULL
);
CREATE SEQUENCE entry_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE entry_id_seq OWNED BY entry.id;
CREATE TABLE event (
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seq integer NOT NULL,
    body text NOT NULL
);
CREATE TABLE happening (
    id integer NOT NULL,
    body text NOT NULL,
    wanted integer NOT NULL,
    tries integer NOT NULL,
    next_at text,
    reason text
);
CREATE SEQUENCE happening_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE happening_id_seq OWNED BY happening.id;
CREATE TABLE holder_change (
    id integer NOT NULL,
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seat text NOT NULL,
    kind text NOT NULL,
    at text NOT NULL,
    due_at text
);
CREATE SEQUENCE holder_change_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE holder_change_id_seq OWNED BY holder_change.id;
CREATE TABLE joining (
    id integer NOT NULL,
    address text NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    match text NOT NULL,
    seat text,
    code text NOT NULL,
    created_at text NOT NULL,
    status text NOT NULL,
    tries integer NOT NULL,
    remind_at text
);
CREATE SEQUENCE joining_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE joining_id_seq OWNED BY joining.id;
CREATE TABLE jotting (
    id integer NOT NULL,
    match_id integer NOT NULL,
    seat text NOT NULL,
    tenure integer NOT NULL,
    ply integer,
    place text,
    text text NOT NULL
);
CREATE SEQUENCE jotting_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE jotting_id_seq OWNED BY jotting.id;
CREATE TABLE ladder (
    id integer NOT NULL,
    name text NOT NULL,
    game text NOT NULL,
    variant text NOT NULL,
    options text NOT NULL,
    status text NOT NULL,
    created_at text NOT NULL,
    changes integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE ladder_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE ladder_id_seq OWNED BY ladder.id;
CREATE TABLE letter (
    id integer NOT NULL,
    spool_name text NOT NULL,
    sha256 text NOT NULL,
    message_id text,
    received_at text NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    channel text NOT NULL,
    length integer NOT NULL,
    raw bytea NOT NULL,
    status text NOT NULL,
    reason text,
    tries integer NOT NULL,
    match_id integer,
    seat text,
    dated_at text,
    ply integer,
    faults integer DEFAULT 0 NOT NULL,
    again_at text,
    player_id integer
);
CREATE SEQUENCE letter_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE letter_id_seq OWNED BY letter.id;
CREATE TABLE letter_part (
    letter_id integer NOT NULL,
    number integer NOT NULL,
    match text NOT NULL,
    text text NOT NULL,
    status text NOT NULL,
    match_id integer,
    seat text,
    ply integer,
    revision integer,
    parked_id integer,
    reply text
);
CREATE TABLE match (
    id integer NOT NULL,
    name text NOT NULL,
    game text NOT NULL,
    variant text NOT NULL,
    options text NOT NULL,
    seed bytea NOT NULL,
    seed_given integer NOT NULL,
    status text NOT NULL,
    ply integer NOT NULL,
    turn integer NOT NULL,
    created_at text NOT NULL,
    deadline_at text,
    wake_at text,
    held_at text,
    trouble text,
    reminded_ply integer,
    alerted_ply integer,
    board text DEFAULT ''::text NOT NULL,
    hurried_ply integer,
    log_key bytea,
    changes integer DEFAULT 0 NOT NULL,
    label text DEFAULT 'ADJUD1'::text NOT NULL,
    logged_by text DEFAULT ''::text NOT NULL,
    full_at text,
    public_value text DEFAULT ''::text NOT NULL,
    archived_at text,
    result text,
    ended_at text,
    overdue_at text,
    alerted_at text
);
CREATE SEQUENCE match_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE match_id_seq OWNED BY match.id;
CREATE TABLE muted (
    id integer NOT NULL,
    player_id integer NOT NULL,
    match_id integer NOT NULL,
    other_id integer
);
CREATE SEQUENCE muted_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE muted_id_seq OWNED BY muted.id;
CREATE TABLE offer (
    id integer NOT NULL,
    kind text NOT NULL,
    player_id integer NOT NULL,
    asker_id integer,
    match_id integer,
    seat text,
    about text NOT NULL,
    details text NOT NULL,
    code text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    created_at text NOT NULL,
    expires_at text,
    status text NOT NULL,
    ended_at text
);
CREATE SEQUENCE offer_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE offer_id_seq OWNED BY offer.id;
CREATE TABLE outbox (
    id integer NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    match_id integer,
    ply integer,
    seat text,
    player_id integer,
    body text NOT NULL,
    created_at text NOT NULL,
    status text NOT NULL,
    tries integer NOT NULL,
    next_at text,
    sent_at text,
    raw bytea,
    reason text,
    bounce_tag text,
    bounces integer DEFAULT 0 NOT NULL,
    name text NOT NULL,
    tenure integer,
    address text,
    since integer,
    epoch text,
    carrier_id integer
);
CREATE SEQUENCE outbox_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE outbox_id_seq OWNED BY outbox.id;
CREATE TABLE paired (
    tournament_id integer NOT NULL,
    round integer NOT NULL,
    board integer NOT NULL,
    again integer NOT NULL,
    place integer NOT NULL,
    entry_id integer NOT NULL,
    points integer
);
CREATE TABLE pairing (
    tournament_id integer NOT NULL,
    round integer NOT NULL,
    board integer NOT NULL,
    again integer NOT NULL,
    kind text NOT NULL,
    match_id integer,
    ending text DEFAULT ''::text NOT NULL,
    made_at text NOT NULL,
    done_at text,
    ruling text
);
CREATE TABLE parked (
    id integer NOT NULL,
    match_id integer NOT NULL,
    seat text NOT NULL,
    tenure integer NOT NULL,
    letter_id integer NOT NULL,
    code text NOT NULL,
    text text NOT NULL,
    created_at text NOT NULL,
    status text NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    on_file integer DEFAULT 0 NOT NULL,
    ply integer
);
CREATE SEQUENCE parked_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE parked_id_seq OWNED BY parked.id;
CREATE TABLE parked_letter (
    id integer NOT NULL,
    player_id integer NOT NULL,
    letter_id integer NOT NULL,
    code text NOT NULL,
    text text NOT NULL,
    created_at text NOT NULL,
    status text NOT NULL,
    tries integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE parked_letter_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE parked_letter_id_seq OWNED BY parked_letter.id;
CREATE TABLE past_epoch (
    epoch text NOT NULL,
    match_id integer NOT NULL,
    ply integer NOT NULL,
    saved_at text NOT NULL,
    ended_at text NOT NULL,
    told_at text
);
CREATE TABLE player (
    id integer NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    address text NOT NULL,
    language text NOT NULL,
    zone text NOT NULL,
    confirmed_at text,
    created_at text NOT NULL,
    reminders text DEFAULT 'on'::text NOT NULL,
    board text DEFAULT 'table'::text NOT NULL,
    page text DEFAULT 'attached'::text NOT NULL,
    receipts text DEFAULT 'full'::text NOT NULL,
    reports text DEFAULT 'few'::text NOT NULL,
    asked_at text,
    remind_at text,
    changes integer DEFAULT 0 NOT NULL,
    tips text DEFAULT 'first'::text NOT NULL,
    erased_at text,
    muted_at text,
    token text DEFAULT ''::text NOT NULL,
    number integer DEFAULT 1 NOT NULL,
    letters text DEFAULT 'each'::text NOT NULL,
    substitute text DEFAULT 'off'::text NOT NULL
);
CREATE SEQUENCE player_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE player_id_seq OWNED BY player.id;
CREATE TABLE press (
    id integer NOT NULL,
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seat text NOT NULL,
    letter_id integer NOT NULL,
    sent_at text NOT NULL,
    tenure integer,
    readers text,
    body text,
    unsigned integer DEFAULT 0 NOT NULL,
    told_at text
);
CREATE TABLE press_copy (
    match_id integer NOT NULL,
    seat text NOT NULL,
    tenure integer NOT NULL,
    number integer NOT NULL,
    press_id integer NOT NULL,
    ply integer NOT NULL,
    at text NOT NULL,
    key text
);
CREATE SEQUENCE press_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE press_id_seq OWNED BY press.id;
CREATE TABLE report (
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seat text NOT NULL,
    turn integer NOT NULL,
    tenure integer NOT NULL,
    body text NOT NULL,
    shown_at text
);
CREATE TABLE ruling (
    id integer NOT NULL,
    match_id integer NOT NULL,
    ply integer NOT NULL,
    at text NOT NULL,
    action text NOT NULL,
    told text NOT NULL,
    reason text NOT NULL,
    due_at text
);
CREATE SEQUENCE ruling_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE ruling_id_seq OWNED BY ruling.id;
CREATE TABLE rung (
    id integer NOT NULL,
    ladder_id integer NOT NULL,
    player_id integer NOT NULL,
    place integer,
    joined_at text NOT NULL,
    left_at text
);
CREATE SEQUENCE rung_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rung_id_seq OWNED BY rung.id;
CREATE TABLE said (
    id integer NOT NULL,
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seat text NOT NULL,
    word text NOT NULL,
    at text NOT NULL
);
CREATE SEQUENCE said_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE said_id_seq OWNED BY said.id;
CREATE TABLE seat (
    match_id integer NOT NULL,
    name text NOT NULL,
    player_id integer,
    computer text,
    tenure integer NOT NULL,
    ordered_ply integer NOT NULL,
    not_ready_ply integer,
    missed integer DEFAULT 0 NOT NULL,
    silent integer DEFAULT 0 NOT NULL,
    forfeit_ply integer,
    forfeit_at text,
    above integer DEFAULT 0 NOT NULL,
    since_ply integer DEFAULT 0 NOT NULL,
    bank integer,
    turns integer DEFAULT 0 NOT NULL,
    kept integer DEFAULT 0 NOT NULL
);
CREATE TABLE submission (
    id integer NOT NULL,
    match_id integer NOT NULL,
    ply integer NOT NULL,
    seat text NOT NULL,
    revision integer NOT NULL,
    received_at text NOT NULL,
    channel text NOT NULL,
    text text NOT NULL,
    orders text NOT NULL,
    status text NOT NULL,
    letter_id integer,
    turn integer,
    verdict text
);
CREATE SEQUENCE submission_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE submission_id_seq OWNED BY submission.id;
CREATE TABLE substitute_search (
    id integer NOT NULL,
    match_id integer NOT NULL,
    seat text NOT NULL,
    tenure integer NOT NULL,
    ply integer NOT NULL,
    cause text NOT NULL,
    due_at text,
    begun_at text NOT NULL,
    next_at text,
    ends_at text NOT NULL,
    status text NOT NULL
);
CREATE SEQUENCE substitute_search_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE substitute_search_id_seq OWNED BY substitute_search.id;
CREATE TABLE tenure (
    match_id integer NOT NULL,
    seat text NOT NULL,
    number integer NOT NULL,
    player_id integer NOT NULL,
    ended_at text NOT NULL,
    told_at text,
    since_ply integer DEFAULT 0 NOT NULL,
    until_ply integer DEFAULT 0 NOT NULL
);
CREATE TABLE tournament (
    id integer NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    game text NOT NULL,
    variant text NOT NULL,
    options text NOT NULL,
    format text NOT NULL,
    seed bytea NOT NULL,
    status text NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    is_public integer NOT NULL,
    starts_at text,
    created_at text NOT NULL,
    started_at text,
    ended_at text,
    wake_at text,
    trouble text,
    changes integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE tournament_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE tournament_id_seq OWNED BY tournament.id;
CREATE TABLE tournament_ruling (
    id integer NOT NULL,
    tournament_id integer NOT NULL,
    round integer NOT NULL,
    made_at text NOT NULL,
    told text NOT NULL,
    reason text NOT NULL
);
CREATE SEQUENCE tournament_ruling_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE tournament_ruling_id_seq OWNED BY tournament_ruling.id;
CREATE TABLE trial (
    id integer NOT NULL,
    tag text NOT NULL,
    claims text NOT NULL,
    sent_at text NOT NULL,
    home_at text,
    found text DEFAULT ''::text NOT NULL
);
CREATE SEQUENCE trial_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE trial_id_seq OWNED BY trial.id;
CREATE TABLE turn (
    match_id integer NOT NULL,
    ply integer NOT NULL,
    turn integer NOT NULL,
    cause text NOT NULL,
    adjudicated_at text NOT NULL,
    snapshot text NOT NULL,
    line text,
    head text,
    added integer DEFAULT 0 NOT NULL
);
ALTER TABLE ONLY absence ALTER COLUMN id SET DEFAULT nextval('absence_id_seq'::regclass);
ALTER TABLE ONLY challenge ALTER COLUMN id SET DEFAULT nextval('challenge_id_seq'::regclass);
ALTER TABLE ONLY clock ALTER COLUMN id SET DEFAULT nextval('clock_id_seq'::regclass);
ALTER TABLE ONLY club ALTER COLUMN id SET DEFAULT nextval('club_id_seq'::regclass);
ALTER TABLE ONLY declaration ALTER COLUMN id SET DEFAULT nextval('declaration_id_seq'::regclass);
ALTER TABLE ONLY entry ALTER COLUMN id SET DEFAULT nextval('entry_id_seq'::regclass);
ALTER TABLE ONLY happening ALTER COLUMN id SET DEFAULT nextval('happening_id_seq'::regclass);
ALTER TABLE ONLY holder_change ALTER COLUMN id SET DEFAULT nextval('holder_change_id_seq'::regclass);
ALTER TABLE ONLY joining ALTER COLUMN id SET DEFAULT nextval('joining_id_seq'::regclass);
ALTER TABLE ONLY jotting ALTER COLUMN id SET DEFAULT nextval('jotting_id_seq'::regclass);
ALTER TABLE ONLY ladder ALTER COLUMN id SET DEFAULT nextval('ladder_id_seq'::regclass);
ALTER TABLE ONLY letter ALTER COLUMN id SET DEFAULT nextval('letter_id_seq'::regclass);
ALTER TABLE ONLY match ALTER COLUMN id SET DEFAULT nextval('match_id_seq'::regclass);
ALTER TABLE ONLY muted ALTER COLUMN id SET DEFAULT nextval('muted_id_seq'::regclass);
ALTER TABLE ONLY offer ALTER COLUMN id SET DEFAULT nextval('offer_id_seq'::regclass);
ALTER TABLE ONLY outbox ALTER COLUMN id SET DEFAULT nextval('outbox_id_seq'::regclass);
ALTER TABLE ONLY parked ALTER COLUMN id SET DEFAULT nextval('parked_id_seq'::regclass);
ALTER TABLE ONLY parked_letter ALTER COLUMN id SET DEFAULT nextval('parked_letter_id_seq'::regclass);
ALTER TABLE ONLY player ALTER COLUMN id SET DEFAULT nextval('player_id_seq'::regclass);
ALTER TABLE ONLY press ALTER COLUMN id SET DEFAULT nextval('press_id_seq'::regclass);
ALTER TABLE ONLY ruling ALTER COLUMN id SET DEFAULT nextval('ruling_id_seq'::regclass);
ALTER TABLE ONLY rung ALTER COLUMN id SET DEFAULT nextval('rung_id_seq'::regclass);
ALTER TABLE ONLY said ALTER COLUMN id SET DEFAULT nextval('said_id_seq'::regclass);
ALTER TABLE ONLY submission ALTER COLUMN id SET DEFAULT nextval('submission_id_seq'::regclass);
ALTER TABLE ONLY substitute_search ALTER COLUMN id SET DEFAULT nextval('substitute_search_id_seq'::regclass);
ALTER TABLE ONLY tournament ALTER COLUMN id SET DEFAULT nextval('tournament_id_seq'::regclass);
ALTER TABLE ONLY tournament_ruling ALTER COLUMN id SET DEFAULT nextval('tournament_ruling_id_seq'::regclass);
ALTER TABLE ONLY trial ALTER COLUMN id SET DEFAULT nextval('trial_id_seq'::regclass);
ALTER TABLE ONLY alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY absence
    ADD CONSTRAINT pk_absence PRIMARY KEY (id);
ALTER TABLE ONLY challenge
    ADD CONSTRAINT pk_challenge PRIMARY KEY (id);
ALTER TABLE ONLY charge
    ADD CONSTRAINT pk_charge PRIMARY KEY (match_id, ply, seat);
ALTER TABLE ONLY clock
    ADD CONSTRAINT pk_clock PRIMARY KEY (id);
ALTER TABLE ONLY club
    ADD CONSTRAINT pk_club PRIMARY KEY (id);
ALTER TABLE ONLY commitment
    ADD CONSTRAINT pk_commitment PRIMARY KEY (match_id, what, seat);
ALTER TABLE ONLY conduct
    ADD CONSTRAINT pk_conduct PRIMARY KEY (match_id, seat, ply, kind);
ALTER TABLE ONLY conduct_day
    ADD CONSTRAINT pk_conduct_day PRIMARY KEY (player_id, day);
ALTER TABLE ONLY declaration
    ADD CONSTRAINT pk_declaration PRIMARY KEY (id);
ALTER TABLE ONLY entry
    ADD CONSTRAINT pk_entry PRIMARY KEY (id);
ALTER TABLE ONLY entry_holder
    ADD CONSTRAINT pk_entry_holder PRIMARY KEY (entry_id, since_round, player_id);
ALTER TABLE ONLY event
    ADD CONSTRAINT pk_event PRIMARY KEY (match_id, ply, seq);
ALTER TABLE ONLY happening
    ADD CONSTRAINT pk_happening PRIMARY KEY (id);
ALTER TABLE ONLY holder_change
    ADD CONSTRAINT pk_holder_change PRIMARY KEY (id);
ALTER TABLE ONLY joining
    ADD CONSTRAINT pk_joining PRIMARY KEY (id);
ALTER TABLE ONLY jotting
    ADD CONSTRAINT pk_jotting PRIMARY KEY (id);
ALTER TABLE ONLY ladder
    ADD CONSTRAINT pk_ladder PRIMARY KEY (id);
ALTER TABLE ONLY letter
    ADD CONSTRAINT pk_letter PRIMARY KEY (id);
ALTER TABLE ONLY letter_part
    ADD CONSTRAINT pk_letter_part PRIMARY KEY (letter_id, number);
ALTER TABLE ONLY match
    ADD CONSTRAINT pk_match PRIMARY KEY (id);
ALTER TABLE ONLY muted
    ADD CONSTRAINT pk_muted PRIMARY KEY (id);
ALTER TABLE ONLY offer
    ADD CONSTRAINT pk_offer PRIMARY KEY (id);
ALTER TABLE ONLY outbox
    ADD CONSTRAINT pk_outbox PRIMARY KEY (id);
ALTER TABLE ONLY paired
    ADD CONSTRAINT pk_paired PRIMARY KEY (tournament_id, round, board, again, place);
ALTER TABLE ONLY pairing
    ADD CONSTRAINT pk_pairing PRIMARY KEY (tournament_id, round, board, again);
ALTER TABLE ONLY parked
    ADD CONSTRAINT pk_parked PRIMARY KEY (id);
ALTER TABLE ONLY parked_letter
    ADD CONSTRAINT pk_parked_letter PRIMARY KEY (id);
ALTER TABLE ONLY past_epoch
    ADD CONSTRAINT pk_past_epoch PRIMARY KEY (epoch, match_id);
ALTER TABLE ONLY player
    ADD CONSTRAINT pk_player PRIMARY KEY (id);
ALTER TABLE ONLY press
    ADD CONSTRAINT pk_press PRIMARY KEY (id);
ALTER TABLE ONLY press_copy
    ADD CONSTRAINT pk_press_copy PRIMARY KEY (match_id, seat, tenure, number);
ALTER TABLE ONLY report
    ADD CONSTRAINT pk_report PRIMARY KEY (match_id, ply, seat);
ALTER TABLE ONLY ruling
    ADD CONSTRAINT pk_ruling PRIMARY KEY (id);
ALTER TABLE ONLY rung
    ADD CONSTRAINT pk_rung PRIMARY KEY (id);
ALTER TABLE ONLY said
    ADD CONSTRAINT pk_said PRIMARY KEY (id);
ALTER TABLE ONLY seat
    ADD CONSTRAINT pk_seat PRIMARY KEY (match_id, name);
ALTER TABLE ONLY submission
    ADD CONSTRAINT pk_submission PRIMARY KEY (id);
ALTER TABLE ONLY substitute_search
    ADD CONSTRAINT pk_substitute_search PRIMARY KEY (id);
ALTER TABLE ONLY tenure
    ADD CONSTRAINT pk_tenure PRIMARY KEY (match_id, seat, number);
ALTER TABLE ONLY tournament
    ADD CONSTRAINT pk_tournament PRIMARY KEY (id);
ALTER TABLE ONLY tournament_ruling
    ADD CONSTRAINT pk_tournament_ruling PRIMARY KEY (id);
ALTER TABLE ONLY trial
    ADD CONSTRAINT pk_trial PRIMARY KEY (id);
ALTER TABLE ONLY turn
    ADD CONSTRAINT pk_turn PRIMARY KEY (match_id, ply);
ALTER TABLE ONLY ladder
    ADD CONSTRAINT uq_ladder_name UNIQUE (name);
ALTER TABLE ONLY letter
    ADD CONSTRAINT uq_letter_spool_name UNIQUE (spool_name);
ALTER TABLE ONLY match
    ADD CONSTRAINT uq_match_name UNIQUE (name);
ALTER TABLE ONLY outbox
    ADD CONSTRAINT uq_outbox_key UNIQUE (key);
ALTER TABLE ONLY pairing
    ADD CONSTRAINT uq_pairing_match_id UNIQUE (match_id);
ALTER TABLE ONLY player
    ADD CONSTRAINT uq_player_name_key UNIQUE (name_key);
ALTER TABLE ONLY submission
    ADD CONSTRAINT uq_submission_match_id_ply_seat_revision UNIQUE (match_id, ply, seat, revision);
ALTER TABLE ONLY tournament
    ADD CONSTRAINT uq_tournament_name UNIQUE (name);
ALTER TABLE ONLY trial
    ADD CONSTRAINT uq_trial_tag UNIQUE (tag);
CREATE INDEX ix_absence_player_id ON absence USING btree (player_id);
CREATE INDEX ix_challenge_ladder_id ON challenge USING btree (ladder_id);
CREATE INDEX ix_challenge_match_id ON challenge USING btree (match_id) WHERE (done_at IS NULL);
CREATE INDEX ix_conduct_player_id ON conduct USING btree (player_id);
CREATE INDEX ix_declaration_match_id ON declaration USING btree (match_id);
CREATE INDEX ix_entry_player_id ON entry USING btree (player_id);
CREATE INDEX ix_entry_tournament_id ON entry USING btree (tournament_id);
CREATE INDEX ix_happening_next_at ON happening USING btree (next_at);
CREATE INDEX ix_holder_change_match_id_ply ON holder_change USING btree (match_id, ply);
CREATE INDEX ix_joining_address ON joining USING btree (address);
CREATE INDEX ix_joining_remind_at ON joining USING btree (remind_at) WHERE (remind_at IS NOT NULL);
CREATE INDEX ix_jotting_match_id ON jotting USING btree (match_id);
CREATE INDEX ix_letter_match_id_seat ON letter USING btree (match_id, seat);
CREATE INDEX ix_letter_message_id ON letter USING btree (message_id);
CREATE INDEX ix_letter_part_match_id ON letter_part USING btree (match_id);
CREATE INDEX ix_letter_player_id ON letter USING btree (player_id) WHERE (player_id IS NOT NULL);
CREATE INDEX ix_letter_received_at ON letter USING btree (received_at) WHERE (length(raw) > 0);
CREATE INDEX ix_letter_status ON letter USING btree (status) WHERE (status = 'received'::text);
CREATE INDEX ix_match_wake_at ON match USING btree (wake_at) WHERE (wake_at IS NOT NULL);
CREATE INDEX ix_muted_player_id ON muted USING btree (player_id);
CREATE INDEX ix_offer_about ON offer USING btree (about);
CREATE INDEX ix_offer_asker_id ON offer USING btree (asker_id);
CREATE INDEX ix_offer_expires_at ON offer USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX ix_offer_match_id ON offer USING btree (match_id);
CREATE INDEX ix_offer_player_id ON offer USING btree (player_id);
CREATE INDEX ix_outbox_bounce_tag ON outbox USING btree (bounce_tag) WHERE (bounce_tag IS NOT NULL);
CREATE INDEX ix_outbox_carrier_id ON outbox USING btree (carrier_id) WHERE (carrier_id IS NOT NULL);
CREATE INDEX ix_outbox_created_at ON outbox USING btree (created_at);
CREATE INDEX ix_outbox_match_id_seat_ply ON outbox USING btree (match_id, seat, ply);
CREATE INDEX ix_outbox_next_at ON outbox USING btree (next_at) WHERE (status = 'waiting'::text);
CREATE INDEX ix_paired_entry_id ON paired USING btree (entry_id);
CREATE INDEX ix_pairing_made_at ON pairing USING btree (made_at) WHERE (done_at IS NULL);
CREATE INDEX ix_parked_letter_player_id ON parked_letter USING btree (player_id);
CREATE INDEX ix_parked_match_id_seat ON parked USING btree (match_id, seat);
CREATE INDEX ix_past_epoch_told_at ON past_epoch USING btree (told_at);
CREATE INDEX ix_player_remind_at ON player USING btree (remind_at) WHERE (remind_at IS NOT NULL);
CREATE UNIQUE INDEX ix_player_token ON player USING btree (token);
CREATE INDEX ix_press_copy_press_id ON press_copy USING btree (press_id);
CREATE INDEX ix_press_match_id_seat ON press USING btree (match_id, seat);
CREATE INDEX ix_ruling_match_id ON ruling USING btree (match_id);
CREATE INDEX ix_rung_ladder_id ON rung USING btree (ladder_id);
CREATE INDEX ix_rung_player_id ON rung USING btree (player_id);
CREATE INDEX ix_said_match_id_ply ON said USING btree (match_id, ply);
CREATE INDEX ix_seat_player_id ON seat USING btree (player_id);
CREATE INDEX ix_substitute_search_match_id ON substitute_search USING btree (match_id);
CREATE INDEX ix_substitute_search_next_at ON substitute_search USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX ix_tenure_player_id ON tenure USING btree (player_id);
CREATE INDEX ix_tournament_ruling_tournament_id ON tournament_ruling USING btree (tournament_id);
CREATE INDEX ix_tournament_wake_at ON tournament USING btree (wake_at) WHERE (wake_at IS NOT NULL);
CREATE UNIQUE INDEX uq_absence_player_id_first_day ON absence USING btree (player_id, first_day) WHERE (kind = 'auto'::text);
ALTER TABLE ONLY absence
    ADD CONSTRAINT fk_absence_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY challenge
    ADD CONSTRAINT fk_challenge_asked_id FOREIGN KEY (asked_id) REFERENCES player(id);
ALTER TABLE ONLY challenge
    ADD CONSTRAINT fk_challenge_challenger_id FOREIGN KEY (challenger_id) REFERENCES player(id);
ALTER TABLE ONLY challenge
    ADD CONSTRAINT fk_challenge_ladder_id FOREIGN KEY (ladder_id) REFERENCES ladder(id);
ALTER TABLE ONLY challenge
    ADD CONSTRAINT fk_challenge_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY charge
    ADD CONSTRAINT fk_charge_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY commitment
    ADD CONSTRAINT fk_commitment_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY conduct_day
    ADD CONSTRAINT fk_conduct_day_player_id_player FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY conduct
    ADD CONSTRAINT fk_conduct_match_id_match FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY conduct
    ADD CONSTRAINT fk_conduct_player_id_player FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY declaration
    ADD CONSTRAINT fk_declaration_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY entry_holder
    ADD CONSTRAINT fk_entry_holder_entry_id FOREIGN KEY (entry_id) REFERENCES entry(id);
ALTER TABLE ONLY entry_holder
    ADD CONSTRAINT fk_entry_holder_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY entry
    ADD CONSTRAINT fk_entry_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY entry
    ADD CONSTRAINT fk_entry_tournament_id FOREIGN KEY (tournament_id) REFERENCES tournament(id);
ALTER TABLE ONLY event
    ADD CONSTRAINT fk_event_match_id_ply FOREIGN KEY (match_id, ply) REFERENCES turn(match_id, ply);
ALTER TABLE ONLY holder_change
    ADD CONSTRAINT fk_holder_change_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY jotting
    ADD CONSTRAINT fk_jotting_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY letter
    ADD CONSTRAINT fk_letter_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY letter_part
    ADD CONSTRAINT fk_letter_part_letter_id FOREIGN KEY (letter_id) REFERENCES letter(id);
ALTER TABLE ONLY letter_part
    ADD CONSTRAINT fk_letter_part_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY muted
    ADD CONSTRAINT fk_muted_match_id_match FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY muted
    ADD CONSTRAINT fk_muted_other_id_player FOREIGN KEY (other_id) REFERENCES player(id);
ALTER TABLE ONLY muted
    ADD CONSTRAINT fk_muted_player_id_player FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY offer
    ADD CONSTRAINT fk_offer_asker_id FOREIGN KEY (asker_id) REFERENCES player(id);
ALTER TABLE ONLY offer
    ADD CONSTRAINT fk_offer_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY offer
    ADD CONSTRAINT fk_offer_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY outbox
    ADD CONSTRAINT fk_outbox_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY outbox
    ADD CONSTRAINT fk_outbox_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY paired
    ADD CONSTRAINT fk_paired_entry_id FOREIGN KEY (entry_id) REFERENCES entry(id);
ALTER TABLE ONLY paired
    ADD CONSTRAINT fk_paired_tournament_id FOREIGN KEY (tournament_id, round, board, again) REFERENCES pairing(tournament_id, round, board, again);
ALTER TABLE ONLY pairing
    ADD CONSTRAINT fk_pairing_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY pairing
    ADD CONSTRAINT fk_pairing_tournament_id FOREIGN KEY (tournament_id) REFERENCES tournament(id);
ALTER TABLE ONLY parked
    ADD CONSTRAINT fk_parked_letter_id FOREIGN KEY (letter_id) REFERENCES letter(id);
ALTER TABLE ONLY parked_letter
    ADD CONSTRAINT fk_parked_letter_letter_id FOREIGN KEY (letter_id) REFERENCES letter(id);
ALTER TABLE ONLY parked_letter
    ADD CONSTRAINT fk_parked_letter_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY parked
    ADD CONSTRAINT fk_parked_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY past_epoch
    ADD CONSTRAINT fk_past_epoch_match_id_match FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY press_copy
    ADD CONSTRAINT fk_press_copy_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY press_copy
    ADD CONSTRAINT fk_press_copy_press_id_press FOREIGN KEY (press_id) REFERENCES press(id);
ALTER TABLE ONLY press
    ADD CONSTRAINT fk_press_letter_id FOREIGN KEY (letter_id) REFERENCES letter(id);
ALTER TABLE ONLY press
    ADD CONSTRAINT fk_press_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY report
    ADD CONSTRAINT fk_report_match_id_ply FOREIGN KEY (match_id, ply) REFERENCES turn(match_id, ply);
ALTER TABLE ONLY report
    ADD CONSTRAINT fk_report_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY ruling
    ADD CONSTRAINT fk_ruling_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY rung
    ADD CONSTRAINT fk_rung_ladder_id FOREIGN KEY (ladder_id) REFERENCES ladder(id);
ALTER TABLE ONLY rung
    ADD CONSTRAINT fk_rung_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY said
    ADD CONSTRAINT fk_said_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY seat
    ADD CONSTRAINT fk_seat_match_id FOREIGN KEY (match_id) REFERENCES match(id);
ALTER TABLE ONLY seat
    ADD CONSTRAINT fk_seat_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY submission
    ADD CONSTRAINT fk_submission_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY substitute_search
    ADD CONSTRAINT fk_substitute_search_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY tenure
    ADD CONSTRAINT fk_tenure_match_id_seat FOREIGN KEY (match_id, seat) REFERENCES seat(match_id, name);
ALTER TABLE ONLY tenure
    ADD CONSTRAINT fk_tenure_player_id FOREIGN KEY (player_id) REFERENCES player(id);
ALTER TABLE ONLY tournament_ruling
    ADD CONSTRAINT fk_tournament_ruling_tournament_id FOREIGN KEY (tournament_id) REFERENCES tournament(id);
ALTER TABLE ONLY turn
    ADD CONSTRAINT fk_turn_match_id FOREIGN KEY (match_id) REFERENCES match(id);
INSERT INTO alembic_version VALUES ('0028');
INSERT INTO clock (id) VALUES (1);
INSERT INTO club (id, domain, mark, epoch) VALUES (1, '', '900723a1d097c110', 'dmbqd');
