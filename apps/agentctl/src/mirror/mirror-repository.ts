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
  /** Whether its server requires credentials. */
  readonly needsCredentials: boolean
}

/**
 * Resolves the argument of --mirror: a URL is used as it is, and a folder is a bare repository that is created if
 * missing.
 */
export async function mirrorRepository(
  repository: string,
  workingDirectory: string,
): Promise<MirrorRepository> {
  if (!/^\w+:\/\//.test(repository) && !/^[\w.-]+@[\w.-]+:/.test(repository)) {
    const folder = resolve(workingDirectory, repository)
    await makeBare(folder)
    return { url: pathToFileURL(folder).href, needsCredentials: false }
  }
  const { scheme, host } = remoteUrl(repository)
  if (scheme === 'file') return { url: repository, needsCredentials: false }
  if (scheme === 'ssh') return { url: repository, needsCredentials: true }
  if (scheme === 'http' && !isLoopback(host)) {
    throw new CommandFailure(
      'http:// is not allowed: credentials and content would be sent unencrypted',
      {
        advice: ['Use https://; http:// is for servers on this machine, such as http://127.0.0.1.'],
      },
    )
  }
  return {
    url: repository,
    needsCredentials: await requiresCredentials(repository, scheme === 'https'),
  }
}

function remoteUrl(repository: string): RemoteUrl {
  try {
    return parseRemoteUrl(repository)
  } catch (cause) {
    if (!isGitError(cause)) throw cause
    throw new CommandFailure(`the repository cannot be used for a mirror: ${cause.message}`, {
      advice: [
        'Give a folder, or a URL that starts with https://, ssh:// or file://.',
        `Put user and password into the Secret ${credentialsName}, not into the URL.`,
      ],
      cause,
    })
  }
}

const requestTimeoutMs = 5_000

/**
 * Whether the server requires credentials to push. If it cannot be asked, `guess` is used, and the status of the
 * GitProvider shows if that was wrong.
 */
async function requiresCredentials(url: string, guess: boolean): Promise<boolean> {
  try {
    const { status } = await fetch(`${url.replace(/\/$/, '')}/info/refs?service=git-receive-pack`, {
      signal: AbortSignal.timeout(requestTimeoutMs),
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
    throw new CommandFailure(`${folder} is not empty and not a bare Git repository`, {
      advice: [
        'Use a new folder, or create a repository: git init --bare FOLDER',
        'To see what is mirrored: git clone FOLDER',
      ],
    })
  }
  await promisify(execFile)('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder])
}
