import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { CommandFailure } from '../cli/command-failure.ts'

export interface MirrorRepository {
  readonly url: string
  /** Whether its server asks who comes. */
  readonly needsCredentials: boolean
}

/** The repository that a person means: a URL as it is; a folder as a bare repository, which is made if there is none. */
export async function mirrorRepository(
  wish: string,
  workingDirectory: string,
): Promise<MirrorRepository> {
  if (/^(https|ssh):\/\//.test(wish) || /^[\w.-]+@[\w.-]+:/.test(wish)) {
    return { url: wish, needsCredentials: true }
  }
  if (wish.startsWith('file://')) return { url: wish, needsCredentials: false }
  if (/^\w+:\/\//.test(wish)) {
    throw new CommandFailure(`${wish} is no repository that can be written to`, {
      advice: ['Give a folder, or a URL that starts with https://, ssh:// or file://.'],
    })
  }
  const folder = resolve(workingDirectory, wish)
  await makeBare(folder)
  return { url: pathToFileURL(folder).href, needsCredentials: false }
}

async function makeBare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  if (names.includes('HEAD') && names.includes('objects')) return
  if (names.length > 0) {
    throw new CommandFailure(`${folder} holds other things than a bare Git repository`, {
      advice: [
        'Give a new folder, or make one: git init --bare FOLDER',
        'To look at what is mirrored: git clone FOLDER',
      ],
    })
  }
  await promisify(execFile)('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder])
}
