import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@agents/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { DeletionJournal } from './deletion-journal.ts'

let directory: string
let log: string[]
let journals: DeletionJournal[]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-journal-test-'))
  log = []
  journals = []
})
afterEach(async () => {
  await Promise.all(journals.map((journal) => journal.close()))
  await rm(directory, { recursive: true, force: true })
})

function identity(name: string): ManifestIdentity {
  return { group: '', kind: 'ConfigMap', namespace: 'team', name }
}

function file(): string {
  return join(directory, 'deletions', 'target.jsonl')
}

async function opened(
  options: { owner?: string; fallback?: readonly ManifestIdentity[] } = {},
): Promise<DeletionJournal> {
  const journal = new DeletionJournal({
    file: file(),
    owner: options.owner ?? 'uid',
    fallback: options.fallback ?? [],
    log: createLogger({ level: 'warn', sink: { write: (line) => log.push(line) } }),
  })
  journals.push(journal)
  await journal.open()
  return journal
}

function add(journal: DeletionJournal, ...names: string[]): void {
  for (const name of names) journal.add(identityKey(identity(name)), identity(name))
}

function nextSync(journal: DeletionJournal): Promise<void> {
  return new Promise((resolve) => {
    journal.onSynced = resolve
  })
}

function namesIn({ entries }: DeletionJournal): string[] {
  return [...entries.values()].map(({ name }) => name)
}

describe('DeletionJournal', () => {
  test('counts an entry as unsynced until the file has it', async () => {
    const journal = await opened()
    const written = nextSync(journal)
    add(journal, 'a', 'b')
    expect(journal.unsyncedCount).toBe(2)
    await written
    expect(journal.unsyncedCount).toBe(0)
    // A process that is killed now does not call `close`.
    expect(namesIn(await opened())).toEqual(['a', 'b'])
  })

  test('forgets settled deletions, and keeps the last commit', async () => {
    const journal = await opened()
    add(journal, 'a', 'b')
    journal.delete(identityKey(identity('a')))
    journal.pushed('c1')
    await journal.close()
    const next = await opened()
    expect(namesIn(next)).toEqual(['b'])
    expect(next.lastCommit).toBe('c1')
    await next.close()
  })

  test('ignores a line that a crash cut off', async () => {
    const journal = await opened()
    add(journal, 'a')
    await journal.close()
    await appendFile(file(), '{"add":{"group":"","kind":"Conf')
    const next = await opened()
    expect(namesIn(next)).toEqual(['a'])
    add(next, 'b')
    await next.close()
    expect(namesIn(await opened())).toEqual(['a', 'b'])
  })

  test('discards the journal of another owner', async () => {
    const journal = await opened()
    add(journal, 'a')
    await journal.close()
    expect(namesIn(await opened({ owner: 'other', fallback: [identity('old')] }))).toEqual([])
  })

  test('uses the fallback only if there is no journal', async () => {
    const journal = await opened({ fallback: [identity('a')] })
    expect(namesIn(journal)).toEqual(['a'])
    journal.delete(identityKey(identity('a')))
    await journal.close()
    expect(namesIn(await opened({ fallback: [identity('a')] }))).toEqual([])
  })

  test('stays small', async () => {
    const journal = await opened()
    for (let round = 0; round < 5_000; round += 1) {
      add(journal, `n${round}`)
      journal.delete(identityKey(identity(`n${round}`)))
      if (round % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    add(journal, 'last')
    await journal.close()
    expect((await stat(file())).size).toBeLessThan(400_000)
    expect(namesIn(await opened())).toEqual(['last'])
  })

  test('keeps the deletions in memory if the file cannot be written, and writes them later', async () => {
    await appendFile(join(directory, 'deletions'), 'a file at the place of the directory')
    const journal = await opened()
    const attempted = nextSync(journal)
    add(journal, 'a')
    await attempted
    expect(namesIn(journal)).toEqual(['a'])
    expect(journal.unsyncedCount).toBe(0)
    expect(log.join('')).toContain('deletions cannot be recorded')
    await rm(join(directory, 'deletions'))
    add(journal, 'b')
    await journal.close()
    expect(namesIn(await opened())).toEqual(['a', 'b'])
  })

  test('records nothing after it was closed', async () => {
    const journal = await opened()
    await journal.close()
    add(journal, 'a')
    await journal.close()
    expect(namesIn(await opened())).toEqual([])
  })
})
