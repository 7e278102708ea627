import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseIdentities, SopsError } from '@agents/git'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'

type Machine = Pick<CommandContext, 'environment' | 'workingDirectory' | 'home'>

/**
 * The age keys of the user, from where sops looks for them: SOPS_AGE_KEY, the file in SOPS_AGE_KEY_FILE, and the
 * default file. A file that is given with a flag replaces them.
 */
export async function ageIdentities(
  given: string | undefined,
  machine: Machine,
): Promise<string[]> {
  const { environment } = machine
  if (given !== undefined) return parsed(await readKey(given, machine), given)
  const file = environment.SOPS_AGE_KEY_FILE
  const found = [
    ...(environment.SOPS_AGE_KEY ? [[environment.SOPS_AGE_KEY, 'SOPS_AGE_KEY'] as const] : []),
    ...(file ? [[await readKey(file, machine), file] as const] : []),
    ...(await defaultKey(machine)),
  ]
  const identities = await Promise.all(found.map(([text, origin]) => parsed(text, origin)))
  return [...new Set(identities.flat())]
}

async function readKey(path: string, { workingDirectory }: Machine): Promise<string> {
  return readFile(resolve(workingDirectory, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(`the age key file ${path} cannot be read: ${error.code ?? error.message}`)
  })
}

async function defaultKey({ environment, home }: Machine): Promise<(readonly [string, string])[]> {
  const folders =
    process.platform === 'darwin'
      ? [environment.XDG_CONFIG_HOME, join(home, 'Library', 'Application Support')]
      : [environment.XDG_CONFIG_HOME || join(home, '.config')]
  for (const folder of folders) {
    if (!folder) continue
    const path = join(folder, 'sops', 'age', 'keys.txt')
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text !== undefined) return [[text, path]]
  }
  return []
}

/** The message never contains a part of the key. */
async function parsed(text: string, origin: string): Promise<string[]> {
  try {
    return await parseIdentities(text)
  } catch (error) {
    if (!(error instanceof SopsError)) throw error
    const message = `the age key in ${origin} cannot be used: ${error.message}`
    throw new CommandFailure(message, { cause: error })
  }
}
