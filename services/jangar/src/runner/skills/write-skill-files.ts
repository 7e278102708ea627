import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { GitPlace } from '../publisher/git-output.ts'
import { localEnvironment } from '../vcs/git-environment.ts'
import type { SkillEntry } from './skill-entries.ts'

/**
 * Writes the files as they are in the repository. Not with a checkout, which applies attributes of the repository. The
 * agent runs as another user, so all may read them.
 */
export async function writeSkillFiles(
  place: GitPlace,
  entries: readonly SkillEntry[],
  folder: string,
): Promise<void> {
  await mkdir(folder, { mode: 0o755 })
  for (const entry of entries) {
    const file = await create(join(folder, entry.path), entry.isExecutable ? 0o755 : 0o644)
    try {
      await writeObject(place, entry.object, file.fd)
    } finally {
      await file.close()
    }
  }
}

async function create(path: string, mode: number): Promise<FileHandle> {
  return mkdir(dirname(path), { recursive: true, mode: 0o755 })
    .then(() => open(path, 'wx', mode))
    .catch((error: NodeJS.ErrnoException) => {
      // A tree that was made by hand may name a file twice, or a file as a folder.
      const message = `its file ${JSON.stringify(basename(path))} cannot be written: ${error.code}`
      throw new RunFailure('SkillUnavailable', message, { cause: error })
    })
}

async function writeObject(
  { gitFolder, env }: GitPlace,
  object: string,
  to: number,
): Promise<void> {
  const child = spawn('git', ['cat-file', 'blob', object], {
    env: { ...localEnvironment(env), GIT_DIR: gitFolder },
    stdio: ['ignore', to, 'ignore'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new RunFailure('SkillUnavailable', `git cannot read the object ${object}`)
}
