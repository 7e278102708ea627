import { appendFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { RunFailure } from '../run-failure.ts'
import { inWorkspace, writeInWorkspace } from './workspace-path.ts'

export interface InputFile {
  readonly path: string
  readonly content: string
}

/** Puts the files in place. Those inside the repository are kept out of its commits. */
export async function writeInputFiles(
  root: string,
  repository: string | undefined,
  files: readonly InputFile[],
): Promise<void> {
  for (const { path, content } of files) {
    const place = inWorkspace(root, path)
    if (place === undefined) {
      throw new RunFailure('WorkspaceFailed', `input file ${path} lies outside the workspace`)
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
  await appendFile(join(repository, '.git', 'info', 'exclude'), `/${escaped}\n`)
}

function unwritable(path: string, cause: unknown): RunFailure {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `input file ${path} cannot be written: ${why}`
  return new RunFailure('WorkspaceFailed', message, { cause })
}
