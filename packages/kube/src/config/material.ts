import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** PEM from the inline base64 data, which takes precedence, or from a file. */
export async function materialOf(
  inline: string | undefined,
  path: string | undefined,
  what: string,
  { readFile }: Pick<ConfigEffects, 'readFile'>,
): Promise<string | undefined> {
  if (inline) {
    const text = Buffer.from(inline, 'base64').toString('utf8')
    if (!text.includes('-----BEGIN'))
      throw new KubeconfigError(`${what}-data is not base64-encoded PEM`)
    return text
  }
  if (!path) return undefined
  try {
    return await readFile(path)
  } catch (cause) {
    throw new KubeconfigError(`${what}: ${path} cannot be read`, { cause })
  }
}
