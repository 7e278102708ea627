import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { isGitError, isLoopback, parseRemoteUrl, type RemoteUrl } from '@agents/git'
import { CommandFailure } from '../cli/command-failure.ts'
import { credentialsName } from './mirror-objects.ts'

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
  if (!/^\w+:\/\//.test(wish) && !/^[\w.-]+@[\w.-]+:/.test(wish)) {
    const folder = resolve(workingDirectory, wish)
    await makeBare(folder)
    return { url: pathToFileURL(folder).href, needsCredentials: false }
  }
  const { scheme, host } = remoteUrl(wish)
  if (scheme === 'file') return { url: wish, needsCredentials: false }
  if (scheme === 'ssh') return { url: wish, needsCredentials: true }
  if (scheme === 'http' && !isLoopback(host)) {
    throw new CommandFailure('everybody on the way could read what is sent by http://', {
      advice: ['Use https://; http:// is for servers on this machine, such as http://127.0.0.1.'],
    })
  }
  return { url: wish, needsCredentials: await asksWhoComes(wish, scheme === 'https') }
}

function remoteUrl(wish: string): RemoteUrl {
  try {
    return parseRemoteUrl(wish)
  } catch (cause) {
    if (!isGitError(cause)) throw cause
    throw new CommandFailure(`this repository cannot be written to; ${cause.message}`, {
      advice: [
        'Give a folder, or a URL that starts with https://, ssh:// or file://.',
        `User and password go into the Secret ${credentialsName}, not into the URL.`,
      ],
      cause,
    })
  }
}

const ASKING_MS = 5_000

/** Whether the server wants to know who pushes; what is guessed is told by the provider's status if it turns out wrong. */
async function asksWhoComes(url: string, guess: boolean): Promise<boolean> {
  try {
    const { status } = await fetch(`${url.replace(/\/$/, '')}/info/refs?service=git-receive-pack`, {
      signal: AbortSignal.timeout(ASKING_MS),
      redirect: 'manual',
    })
    return status === 200 ? false : status === 401 || guess
  } catch {
    return guess
  }
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
