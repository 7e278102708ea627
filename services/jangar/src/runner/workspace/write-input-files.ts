import { appendFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { inWorkspace, writeInWorkspace } from './workspace-path.ts'

export interface InputFile {
  readonly path: string
  readonly content: string
}

/** Writes the input files. Those inside the repository are excluded from its commits. */
export async function writeInputFiles(
  root: string,
  repository: string | undefined,
  files: readonly InputFile[],
): Promise<void> {
  for (const { path, content } of files) {
    const place = inWorkspace(root, path)
    if (place === undefined) {
      throw new RunFailure('WorkspaceFailed', `input file ${path} is outside the workspace`)
    }
    try {
      await writeInWorkspace(root, place, content)
      if (repository !== undefined && place.startsWith(repository + sep)) {
        await exclude(repository, relative(repository, place))
      }
    } catch (cause) {
      throw unwritable(path, cause)
    }
  }
}

async function exclude(repository: string, path: string): Promise<void> {
  const escaped = path
    .split(sep)
    .join('/')
    .replace(/[\\*?[\]!# ]/g, '\\$&')
  await excludePatterns(repository, [`/${escaped}`])
}

/** Excludes files from the commits of this work tree. */
export async function excludePatterns(
  repository: string,
  patterns: readonly string[],
): Promise<void> {
  if (patterns.length === 0) return
  const lines = patterns.map((pattern) => `${pattern}\n`).join('')
  await appendFile(join(repository, '.git', 'info', 'exclude'), lines)
}

function unwritable(path: string, cause: unknown): RunFailure {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `input file ${path} cannot be written: ${why}`
  return new RunFailure('WorkspaceFailed', message, { cause })
}
