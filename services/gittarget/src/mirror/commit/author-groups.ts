import type { Confirmation, FileChange, Identity } from '@agents/git'
import { sameAuthor } from '../authors/author.ts'
import type { Authorship } from '../authors/change-authors.ts'

/** The changes of one commit. */
export interface AuthorGroup extends Authorship {
  readonly changes: ReadonlyMap<string, FileChange>
}

export const nobody: Authorship = { author: undefined, coAuthors: [] }

/** One group for each author. Changes without a known author come first; there is always at least one group. */
export function groupByAuthor(
  changes: ReadonlyMap<string, FileChange>,
  authorsOf: (path: string) => Authorship,
): AuthorGroup[] {
  const groups = new Map<string, OpenGroup>()
  for (const [path, change] of changes) {
    const { author, coAuthors } = authorsOf(path)
    const key = author === undefined ? '' : JSON.stringify([author.name, author.email])
    const group: OpenGroup = groups.get(key) ?? { author, coAuthors: [], changes: new Map() }
    group.changes.set(path, change)
    for (const one of coAuthors) {
      const isNamed = group.coAuthors.some((other) => sameAuthor(other, one))
      if (!isNamed && !(author && sameAuthor(author, one))) group.coAuthors.push(one)
    }
    groups.set(key, group)
  }
  if (groups.size === 0) return [{ ...nobody, changes }]
  return [...groups.values()].sort(
    (a, b) => Number(a.author !== undefined) - Number(b.author !== undefined),
  )
}

interface OpenGroup {
  readonly author: Identity | undefined
  readonly coAuthors: Identity[]
  readonly changes: Map<string, FileChange>
}

/** The result of commits that were pushed together. */
export function mergeConfirmations(all: readonly Confirmation[]): Confirmation {
  return {
    commit: all.findLast(({ written }) => written)?.commit ?? all.at(-1)?.commit,
    written: all.some(({ written }) => written),
    changed: all.flatMap(({ changed }) => changed),
    refused: all.flatMap(({ refused }) => refused),
  }
}
