import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** PEM from base64 in the file itself, which wins, or from a file of its own. */
export async function materialOf(
  inline: string | undefined,
  path: string | undefined,
  what: string,
  { readFile }: Pick<ConfigEffects, 'readFile'>,
): Promise<string | undefined> {
  if (inline) {
    const text = Buffer.from(inline, 'base64').toString('utf8')
    if (!text.includes('-----BEGIN')) throw new KubeconfigError(`${what}-data is no PEM in base64`)
    return text
  }
  if (!path) return undefined
  try {
    return await readFile(path)
  } catch (cause) {
    throw new KubeconfigError(`${what}: ${path} cannot be read`, { cause })
  }
}
