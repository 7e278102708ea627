import { RunFailure } from '../../run-contract/run-failure.ts'
import type { Git } from '../vcs/git.ts'

/** A file of a skill. */
export interface SkillEntry {
  /** Relative to the folder of the skill. Leads to nothing outside of it. */
  readonly path: string
  readonly object: string
  readonly isExecutable: boolean
}

const mostFiles = 500
const mostBytes = 10 * 1024 * 1024
const longestPath = 255
const deepest = 16

const modes = { file: '100644', program: '100755' } as const

/**
 * The files of a tree, none of which has been written yet. Undefined if it is not a tree. Anything but plain files is
 * refused: a link may lead out of the folder, and the content of a submodule is elsewhere.
 */
export async function skillEntries(
  git: Git,
  tree: string,
): Promise<readonly SkillEntry[] | undefined> {
  const listed = await git.run(['ls-tree', '-r', '-l', '-z', '--full-tree', tree])
  if (listed.code !== 0) return undefined
  const lines = listed.stdout.split('\0').filter((line) => line !== '')
  if (lines.length > mostFiles) throw invalid(`has more than ${mostFiles} files`)
  let bytes = 0
  return lines.map((line) => {
    const [, mode = '', object = '', size = '', path = ''] =
      /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/su.exec(line) ?? []
    checkPath(path)
    if (mode !== modes.file && mode !== modes.program) {
      throw invalid(`has ${quoted(path)}, which is a link or a submodule; only files are allowed`)
    }
    bytes += Number(size)
    if (!(bytes <= mostBytes)) throw invalid(`has more than ${mostBytes / 1024 / 1024} MiB`)
    return { path, object, isExecutable: mode === modes.program }
  })
}

/** Git itself refuses such names only when it checks out. */
function checkPath(path: string): void {
  const parts = path.split('/')
  const isPlain =
    path.length <= longestPath &&
    parts.length <= deepest &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    parts.every((part) => !/^$|^\.\.?$|^\.git$|[\u0000-\u001f\u007f\\\ufffd]/iu.test(part))
  if (!isPlain) throw invalid(`has a file with the invalid name ${quoted(path)}`)
}

function quoted(path: string): string {
  return JSON.stringify(path.length > longestPath ? `${path.slice(0, longestPath)}…` : path)
}

function invalid(what: string): RunFailure {
  return new RunFailure('SkillUnavailable', `its folder ${what}`)
}
