import type { ClientBase } from 'pg'
import type { Embedding } from './embed.ts'
import { MemoryFailure } from './memory-failure.ts'
import * as sql from './memory-sql.ts'

/** What entries and their errors have in common, wherever they are read. */
export interface MemoryEntry {
  readonly key: string
  readonly value: string
}

const undefinedTable = '42P01'
const undefinedType = '42704'
/** Of `create extension`, by whether the server does not have it, or the user may not. */
const extensionCodes = ['58P01', '0A000', '42501']

/** The entries of one Memory, in tables that several can share. They are created with the first entry. */
export class MemoryStore {
  readonly #client: Pick<ClientBase, 'query'>
  readonly #dataset: string

  constructor(client: Pick<ClientBase, 'query'>, dataset: string) {
    this.#client = client
    this.#dataset = dataset
  }

  /** Once or many times, the result is the same: a program that ended before it could report is started again. */
  async put(entry: MemoryEntry, embedding?: Embedding): Promise<void> {
    try {
      await this.#write(entry, embedding)
    } catch (error) {
      if (!hasCode(error, undefinedTable, undefinedType)) throw error
      await this.#client.query(sql.createTable)
      if (embedding !== undefined) await this.#createVectorTable()
      await this.#write(entry, embedding)
    }
  }

  async get(key: string): Promise<string | undefined> {
    const [found] = await this.#entries(sql.get, [this.#dataset, key])
    return found?.value
  }

  /** The best matches first: by words, and by meaning if the query has an embedding. */
  async search(
    query: string,
    limit: number,
    embedding?: Embedding,
  ): Promise<readonly MemoryEntry[]> {
    const words = [this.#dataset, query, limit]
    if (embedding === undefined || !(await this.#hasVectors())) {
      return await this.#entries(sql.searchWords, words)
    }
    const { model, values } = embedding
    return await this.#entries(sql.searchMeaning, [
      ...words,
      model,
      JSON.stringify(values),
      values.length,
    ])
  }

  /** An entry and its vector change together: a vector of an older value would find what is not there. */
  async #write({ key, value }: MemoryEntry, embedding: Embedding | undefined): Promise<void> {
    await this.#client.query('begin')
    try {
      await this.#client.query(sql.upsert, [this.#dataset, key, value])
      if (embedding !== undefined) {
        const { model, values } = embedding
        const vector = [this.#dataset, key, model, JSON.stringify(values)]
        await this.#client.query(sql.upsertVector, vector)
      } else if (await this.#hasVectors()) {
        await this.#client.query(sql.deleteVector, [this.#dataset, key])
      }
      await this.#client.query('commit')
    } catch (error) {
      await this.#client.query('rollback')
      throw error
    }
  }

  async #hasVectors(): Promise<boolean> {
    const { rows } = await this.#client.query<{ found: unknown }>(sql.findVectorTable)
    return rows[0]?.found != null
  }

  async #createVectorTable(): Promise<void> {
    try {
      await this.#client.query(sql.createExtension)
    } catch (error) {
      if (!hasCode(error, ...extensionCodes)) throw error
      throw new MemoryFailure(
        'the database has no extension vector, and the user cannot create it; ask its administrator to, or remove embeddings from the Memory',
        { cause: error },
      )
    }
    await this.#client.query(sql.createVectorTable)
  }

  /** A store without the table has no entries. */
  async #entries(text: string, values: readonly unknown[]): Promise<readonly MemoryEntry[]> {
    try {
      const { rows } = await this.#client.query<MemoryEntry>(text, [...values])
      return rows
    } catch (error) {
      if (hasCode(error, undefinedTable)) return []
      throw error
    }
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
