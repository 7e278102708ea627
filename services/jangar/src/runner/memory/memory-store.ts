import type { ClientBase } from 'pg'

/** What entries and their errors have in common, wherever they are read. */
export interface MemoryEntry {
  readonly key: string
  readonly value: string
}

const undefinedTable = '42P01'

/**
 * The full-text index needs no dictionary: entries may be in any language. The lock makes two programs that create the
 * table at the same time wait for each other, since `if not exists` alone fails for one of them.
 */
const createTable = `
  select pg_advisory_xact_lock(hashtext('agents_memory'));
  create table if not exists agents_memory (
    dataset text not null,
    key text not null,
    value text not null,
    updated_at timestamptz not null default now(),
    primary key (dataset, key)
  );
  create index if not exists agents_memory_text on agents_memory using gin (to_tsvector('simple', value));`

const upsert = `
  insert into agents_memory (dataset, key, value) values ($1, $2, $3)
  on conflict (dataset, key) do update set value = excluded.value, updated_at = now()`

const search = `
  select key, value from agents_memory
  where dataset = $1 and to_tsvector('simple', value) @@ websearch_to_tsquery('simple', $2)
  order by ts_rank(to_tsvector('simple', value), websearch_to_tsquery('simple', $2)) desc, updated_at desc, key
  limit $3`

/** The entries of one Memory, in a table that several can share. It is created with the first entry. */
export class MemoryStore {
  readonly #client: Pick<ClientBase, 'query'>
  readonly #dataset: string

  constructor(client: Pick<ClientBase, 'query'>, dataset: string) {
    this.#client = client
    this.#dataset = dataset
  }

  /** Once or many times, the result is the same: a program that ended before it could report is started again. */
  async put({ key, value }: MemoryEntry): Promise<void> {
    const values = [this.#dataset, key, value]
    try {
      await this.#client.query(upsert, values)
    } catch (error) {
      if (!isMissingTable(error)) throw error
      await this.#client.query(createTable)
      await this.#client.query(upsert, values)
    }
  }

  async get(key: string): Promise<string | undefined> {
    const text = 'select value from agents_memory where dataset = $1 and key = $2'
    const [found] = await this.#entries(text, [this.#dataset, key])
    return found?.value
  }

  /** The best matches first. */
  search(query: string, limit: number): Promise<readonly MemoryEntry[]> {
    return this.#entries(search, [this.#dataset, query, limit])
  }

  /** A store without the table has no entries. */
  async #entries(text: string, values: readonly unknown[]): Promise<readonly MemoryEntry[]> {
    try {
      const { rows } = await this.#client.query<MemoryEntry>(text, [...values])
      return rows
    } catch (error) {
      if (isMissingTable(error)) return []
      throw error
    }
  }
}

function isMissingTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === undefinedTable
}
