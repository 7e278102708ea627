import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '@agents/log'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'

interface DeletionJournalOptions {
  /** If undefined, deletions are kept in memory only. */
  readonly file: string | undefined
  /** A journal of another owner is discarded: it is of an earlier target of the same name, or of another folder. */
  readonly owner: string
  /** Deletions to continue with if there is no journal, because the state directory was lost. */
  readonly fallback: readonly ManifestIdentity[]
  readonly log: Logger
}

interface Header {
  readonly owner: string
  readonly lastCommit?: string | undefined
}

/** The file is rewritten if it has this many outdated lines. */
const maxOutdatedLines = 1_000

/**
 * Deletions that a watch reported and that are not pushed yet. They are written to a file, so that the next process
 * continues with them: it could not tell a deletion that was reported from one that nobody saw.
 */
export class DeletionJournal {
  readonly #options: DeletionJournalOptions
  readonly #entries = new Map<string, ManifestIdentity>()
  /** Keys that are not in the file yet. */
  #unsynced = new Set<string>()
  #syncing: ReadonlySet<string> = new Set()
  #lines: string[] = []
  #lineCount = 0
  #lastCommit: string | undefined
  #handle: FileHandle | undefined
  #writing: Promise<void> | undefined
  #hasFailed = false
  #isClosed = false
  /** Called when entries became durable. */
  onSynced = (): void => undefined

  constructor(options: DeletionJournalOptions) {
    this.#options = options
  }

  /** Reads the journal of an earlier process. To be called before anything else. */
  async open(): Promise<void> {
    const { file, owner, fallback } = this.#options
    if (file === undefined) return
    const text = await readFile(file, 'utf8').catch(() => undefined)
    const known = text === undefined ? undefined : parseJournal(text)
    const isOwn = known?.header.owner === owner
    if (isOwn) this.#lastCommit = known.header.lastCommit
    // The journal of another owner proves that the state directory was not lost.
    const entries = isOwn ? known.entries : known === undefined ? fallback : []
    for (const identity of entries) this.#entries.set(identityKey(identity), identity)
    await this.#write(() => this.#rewrite(file))
  }

  get entries(): ReadonlyMap<string, ManifestIdentity> {
    return this.#entries
  }

  /** The last commit that was pushed, also by an earlier process. */
  get lastCommit(): string | undefined {
    return this.#lastCommit
  }

  /** Number of entries that a crash of the machine or the process could still lose. */
  get unsyncedCount(): number {
    return this.#unsynced.size + this.#syncing.size
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  add(key: string, identity: ManifestIdentity): void {
    if (this.#entries.has(key)) return
    this.#entries.set(key, identity)
    if (this.#options.file === undefined || this.#isClosed) return
    this.#unsynced.add(key)
    this.#append({ add: identity })
  }

  delete(key: string): void {
    const identity = this.#entries.get(key)
    if (identity === undefined) return
    this.#entries.delete(key)
    this.#unsynced.delete(key)
    this.#append({ remove: identity })
  }

  pushed(commit: string): void {
    this.#lastCommit = commit
    this.#append({ pushed: commit })
  }

  /** Writes what is still to be written. Later changes are not recorded. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#writing !== undefined) await this.#writing
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close().catch(() => undefined)
  }

  #append(line: JournalLine): void {
    const { file } = this.#options
    if (file === undefined || this.#isClosed) return
    this.#lines.push(`${JSON.stringify(line)}\n`)
    this.#writing ??= this.#drain(file).finally(() => {
      this.#writing = undefined
    })
  }

  async #drain(file: string): Promise<void> {
    // Events that arrive together are written together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#lines.length > 0) {
      const lines = this.#lines
      this.#lines = []
      this.#syncing = this.#unsynced
      this.#unsynced = new Set()
      this.#lineCount += lines.length
      const handle = this.#handle
      const isOutdated = this.#lineCount > this.#entries.size + maxOutdatedLines
      await this.#write(async () => {
        if (handle === undefined || isOutdated) return this.#rewrite(file)
        await handle.appendFile(lines.join(''))
        await handle.datasync()
      })
      const hadNew = this.#syncing.size > 0
      this.#syncing = new Set()
      if (hadNew) this.onSynced()
    }
  }

  /** Without a journal, for example on a full disk, the mirror works on, but a crash may lose deletions. */
  async #write(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#hasFailed = false
    } catch (error) {
      const handle = this.#handle
      this.#handle = undefined
      await handle?.close().catch(() => undefined)
      if (!this.#hasFailed) this.#options.log.warn('deletions cannot be recorded', { error })
      this.#hasFailed = true
    }
  }

  async #rewrite(file: string): Promise<void> {
    const old = this.#handle
    this.#handle = undefined
    await old?.close()
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const header: Header = { owner: this.#options.owner, lastCommit: this.#lastCommit }
    const entries = [...this.#entries.values()].map((identity) => JSON.stringify({ add: identity }))
    const next = `${file}.new`
    const handle = await open(next, 'w', 0o600)
    try {
      await handle.appendFile([JSON.stringify(header), ...entries, ''].join('\n'))
      await handle.datasync()
      await rename(next, file)
    } catch (error) {
      await handle.close().catch(() => undefined)
      throw error
    }
    this.#handle = handle
    this.#lineCount = entries.length
    await syncDirectory(dirname(file))
  }
}

type JournalLine =
  | { readonly add: ManifestIdentity }
  | { readonly remove: ManifestIdentity }
  | { readonly pushed: string }

/** Undefined if the text is not a journal. A line that a crash cut off is ignored. */
function parseJournal(
  text: string,
): { readonly header: Header; readonly entries: readonly ManifestIdentity[] } | undefined {
  const [first = '', ...lines] = text.split('\n')
  const header = parseLine<Header>(first)
  if (typeof header?.owner !== 'string') return undefined
  const entries = new Map<string, ManifestIdentity>()
  let { lastCommit } = header
  for (const text of lines) {
    const line = parseLine<JournalLine>(text)
    if (line === undefined) continue
    if ('add' in line) entries.set(identityKey(line.add), line.add)
    else if ('remove' in line) entries.delete(identityKey(line.remove))
    else lastCommit = line.pushed
  }
  return { header: { ...header, lastCommit }, entries: [...entries.values()] }
}

function parseLine<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T
  } catch {
    return undefined
  }
}

/** Makes the new name of the file durable. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
