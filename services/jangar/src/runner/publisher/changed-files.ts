import { type GitPlace, recordsOf } from './git-output.ts'

/** A file that is new or different. A deleted one has no object. */
export interface ChangedFile {
  readonly path: string
  readonly kind: 'file' | 'submodule' | 'deleted'
  readonly object: string
}

interface Range {
  /** Undefined if the repository was empty. */
  readonly startCommit?: string | undefined
  readonly baseCommit?: string | undefined
}

/** Beyond this many the rest is not looked at. */
const mostFiles = 500_000

/**
 * What the new commits change. What is as in the base branch is not a change of the run: it may have merged the base.
 */
export async function changedFiles(
  place: GitPlace,
  { startCommit, baseCommit }: Range,
  commit: string,
): Promise<ChangedFile[]> {
  const changed = new Map<string, ChangedFile>()
  for await (const file of filesBetween(place, startCommit, commit)) {
    changed.set(file.path, file)
    if (changed.size > mostFiles) break
  }
  if (baseCommit === undefined || baseCommit === startCommit) return [...changed.values()]
  const own: ChangedFile[] = []
  for await (const { path } of filesBetween(place, baseCommit, commit)) {
    const file = changed.get(path)
    if (file !== undefined) own.push(file)
  }
  return own
}

async function* filesBetween(
  place: GitPlace,
  from: string | undefined,
  to: string,
): AsyncGenerator<ChangedFile> {
  const raw = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev']
  const args = from === undefined ? ['ls-tree', '-r', '-z', to] : ['diff-tree', ...raw, from, to]
  let header: string | undefined
  for await (const text of recordsOf(place, args)) {
    if (from === undefined) {
      const [, mode = '', object = '', path = ''] = /^(\d+) \w+ (\w+)\t([\s\S]*)$/.exec(text) ?? []
      yield { path: named(path), kind: kindOf(mode), object }
    } else if (header === undefined) {
      header = text
    } else {
      const [, mode = '', , object = ''] = header.split(' ')
      header = undefined
      yield { path: named(text), kind: kindOf(mode), object }
    }
  }
}

function kindOf(mode: string): ChangedFile['kind'] {
  if (mode === '160000') return 'submodule'
  return mode === '000000' ? 'deleted' : 'file'
}

/** Read as bytes, so that no two paths become the same. */
function named(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}
