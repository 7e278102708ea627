import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { archivePartitions } from './archive-indexes.ts'

/**
 * Search, and a partition per month of creation. Partitions inherit from run_archive instead of being declared: the
 * unique key of a declared one would contain the time, and earlier versions insert with `on conflict (uid)`. They
 * keep working: a trigger derives the new columns and routes the row. A run never changes the time of its creation, so
 * it is in one partition.
 */
export const runArchiveSearch: Migration = {
  up: async (db) => {
    await sql`
      alter table run_archive
        add column labels text[] not null default '{}',
        add column search tsvector not null default '',
        add column summary text not null default '',
        alter column summary set storage main`.execute(db)
    await sql`drop index run_archive_by_namespace, run_archive_by_agent`.execute(db)
    for (const [name, method, columns] of indexes) {
      await sql`create index ${sql.ref(name)} on run_archive using ${sql.raw(`${method} (${columns})`)}`.execute(
        db,
      )
    }
    for (const statement of functions) await sql.raw(statement).execute(db)
    await sql`create trigger run_archive_route before insert on run_archive
      for each row execute function run_archive_route()`.execute(db)
    // Through the trigger, which returns no row: what was read is still the old rows.
    await sql`insert into run_archive select * from only run_archive`.execute(db)
    await sql`delete from only run_archive`.execute(db)
  },
  down: async (db) => {
    await sql`drop trigger run_archive_route on run_archive`.execute(db)
    await sql`insert into run_archive select * from run_archive`.execute(db)
    for (const name of await archivePartitions(db))
      await sql`drop table ${sql.table(name)}`.execute(db)
    for (const [name] of indexes) await sql`drop index ${sql.ref(name)}`.execute(db)
    await sql`drop function run_archive_route(), run_archive_partition(timestamptz), run_archive_words(text),
      run_archive_text(jsonb)`.execute(db)
    await sql`alter table run_archive drop column labels, drop column search, drop column summary`.execute(
      db,
    )
    await sql`create index run_archive_by_namespace on run_archive (namespace, finished_at)`.execute(
      db,
    )
    await sql`create index run_archive_by_agent on run_archive (namespace, agent, finished_at)`.execute(
      db,
    )
  },
}

const indexes = [
  ['run_archive_by_time', 'btree', 'created_at desc, uid'],
  ['run_archive_by_namespace_and_time', 'btree', 'namespace, created_at desc, uid'],
  ['run_archive_by_kind', 'btree', 'kind, created_at desc, uid'],
  ['run_archive_by_phase', 'btree', 'phase, created_at desc, uid'],
  ['run_archive_by_agent_and_time', 'btree', 'agent, created_at desc, uid'],
  ['run_archive_by_name', 'btree', 'namespace, name, created_at desc'],
  ['run_archive_by_label', 'gin', 'labels'],
  ['run_archive_by_word', 'gin', 'search'],
] as const

/** The words of `archive/run-words.ts`: both must find the same. */
const words = `
create function run_archive_words(given text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct left(word, 100)), '{}')
  from regexp_split_to_table(lower(left(given, 100000) collate "C"), '[\\u0001-\\u002f\\u003a-\\u0060\\u007b-\\u007f]+') as word
  where word <> ''
$$`

/** What can be searched: name, what ran, why it ended, and what was asked for. */
const text = `
create function run_archive_text(run jsonb) returns text language sql immutable parallel safe as $$
  select concat_ws(' ',
    run #>> '{metadata,name}',
    coalesce(run #>> '{spec,agentRef,name}', run #>> '{spec,orchestrationRef,name}', run #>> '{spec,toolRef,name}'),
    (select concat_ws(' ', each ->> 'reason', each ->> 'message')
      from jsonb_path_query(run, 'lax $.status.conditions[*] ? (@.type == "Succeeded")') as each limit 1),
    run #>> '{spec,implementation,inline,summary}',
    run #>> '{spec,implementation,inline,text}',
    (select string_agg(value, ' ') from jsonb_each_text(
      case jsonb_typeof(run #> '{spec,parameters}') when 'object' then run #> '{spec,parameters}' end)))
$$`

/** Creates the partition of a time unless it exists, and returns its name. */
const partition = `
create function run_archive_partition(at timestamptz) returns text language plpgsql as $$
declare
  first timestamptz := date_trunc('month', at, 'UTC');
  past timestamptz := date_trunc('month', first + interval '40 days', 'UTC');
  name text := 'run_archive_' || to_char(first at time zone 'UTC', 'YYYYMM');
begin
  if to_regclass(quote_ident(name)) is not null then return name; end if;
  -- Two writers may be the first of a month. The second may not have heard of the table even with the lock.
  perform pg_advisory_xact_lock(hashtext('run_archive_partition'));
  execute format('create table %I (like run_archive including defaults including indexes including storage,
    check (created_at >= %L and created_at < %L)) inherits (run_archive) with (toast_tuple_target = 1024)', name, first, past);
  return name;
exception when duplicate_table then
  return name;
end $$`

const route = `
create function run_archive_route() returns trigger language plpgsql as $$
declare
  part text;
  tags jsonb := new.object #> '{metadata,labels}';
begin
  -- Positions in lists have whole seconds, as the times of Kubernetes.
  new.created_at := date_trunc('second', new.created_at);
  if jsonb_typeof(tags) is distinct from 'object' then tags := '{}'; end if;
  new.labels := array(
    select tag from jsonb_each_text(tags) as each, unnest(array[left(key, 400), left(key || '=' || value, 400)]) as tag order by tag);
  new.search := array_to_tsvector(run_archive_words(run_archive_text(new.object)));
  new.summary := (select jsonb_strip_nulls(jsonb_build_object(
    'kind', new.kind, 'namespace', new.namespace, 'name', new.name, 'uid', new.uid,
    'phase', nullif(new.phase, ''), 'of', coalesce(nullif(new.agent, ''), new.orchestration, new.tool),
    'reason', outcome ->> 'reason', 'message', outcome ->> 'message',
    'createdAt', to_char(new.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'startedAt', new.object #> '{status,startedAt}', 'finishedAt', new.object #> '{status,finishedAt}',
    'labels', nullif(tags, '{}'), 'archived', true))
    from (select jsonb_path_query_first(new.object, 'lax $.status.conditions[*] ? (@.type == "Succeeded")')) as found(outcome));
  part := run_archive_partition(new.created_at);
  execute format('insert into %1$I select ($1).* on conflict (uid) do update set
    phase = excluded.phase, reason = excluded.reason, started_at = excluded.started_at,
    finished_at = excluded.finished_at, resource_version = excluded.resource_version, object = excluded.object,
    labels = excluded.labels, search = excluded.search, summary = excluded.summary
    where %1$I.resource_version < excluded.resource_version', part) using new;
  return null;
end $$`

const functions = [words, text, partition, route]
