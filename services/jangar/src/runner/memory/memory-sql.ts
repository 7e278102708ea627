/** The lock makes programs that create at the same time wait for each other: `if not exists` alone fails for one. */
const lock = "select pg_advisory_xact_lock(hashtext('agents_memory'));"

/** The full-text index needs no dictionary: entries may be in any language. */
export const createTable = `
  ${lock}
  create table if not exists agents_memory (
    dataset text not null,
    key text not null,
    value text not null,
    updated_at timestamptz not null default now(),
    primary key (dataset, key)
  );
  create index if not exists agents_memory_text on agents_memory using gin (to_tsvector('simple', value));`

export const createExtension = `${lock} create extension if not exists vector;`

/** Without dimensions, so that Memories with different models can share it. */
export const createVectorTable = `
  ${lock}
  create table if not exists agents_memory_vectors (
    dataset text not null,
    key text not null,
    model text not null,
    embedding vector not null,
    primary key (dataset, key),
    foreign key (dataset, key) references agents_memory on delete cascade
  );`

export const findVectorTable = "select to_regclass('agents_memory_vectors') as found"

export const upsert = `
  insert into agents_memory (dataset, key, value) values ($1, $2, $3)
  on conflict (dataset, key) do update set value = excluded.value, updated_at = now()`

export const upsertVector = `
  insert into agents_memory_vectors (dataset, key, model, embedding) values ($1, $2, $3, $4::text::vector)
  on conflict (dataset, key) do update set model = excluded.model, embedding = excluded.embedding`

export const deleteVector = 'delete from agents_memory_vectors where dataset = $1 and key = $2'

export const get = 'select key, value from agents_memory where dataset = $1 and key = $2'

const matches = `dataset = $1 and to_tsvector('simple', value) @@ websearch_to_tsquery('simple', $2)`

const byRank = `ts_rank(to_tsvector('simple', value), websearch_to_tsquery('simple', $2)) desc, updated_at desc, key`

export const searchWords = `select key, value from agents_memory where ${matches} order by ${byRank} limit $3`

/**
 * Ranks are combined, not scores, which have nothing in common (reciprocal rank fusion): an entry that is found by its
 * words and by its meaning precedes those that are found by one.
 */
export const searchMeaning = `
  with by_words as (
    select key, row_number() over (order by ${byRank}) as place from agents_memory where ${matches} order by place limit 100
  ), by_meaning as (
    select key, row_number() over (order by embedding <=> $5::text::vector, key) as place from agents_memory_vectors
    where dataset = $1 and model = $4 and vector_dims(embedding) = $6 order by place limit 100
  ), ranked as (
    select key, sum(1.0 / (60 + place)) as score
    from (select * from by_words union all select * from by_meaning) as places group by key
  )
  select key, value from agents_memory join ranked using (key) where dataset = $1
  order by score desc, key limit $3`
