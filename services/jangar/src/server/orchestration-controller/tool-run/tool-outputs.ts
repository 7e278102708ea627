import type { Json } from '@agents/crd'
import { parseJson } from '@agents/kube'
import { textOf } from '../../../run-contract/templates/text-of.ts'
import type { PodOutput } from '../../jobs/output/pod-output.ts'
import { unmaskable } from '../../jobs/output/secret-values.ts'

type Outputs = Readonly<Record<string, Json>>

/** In bytes. A node cuts a longer message to 4096, and may lose a part of a character at the cut. */
const mostOutputBytes = 4092

/** Segments of a template's path. A leading letter excludes `__proto__`. */
const outputName = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/

/**
 * Reads the JSON object that a program wrote to the file for its outputs, masked, or says why it cannot be used.
 * Nothing of the file is quoted: it may hold a part of a secret.
 */
export function readOutputs(
  message: string,
  output: PodOutput,
): { readonly outputs?: Outputs; readonly fault?: string } {
  if (message.trim() === '') return {}
  if (Buffer.byteLength(message) > mostOutputBytes) {
    return fault(`has more than ${mostOutputBytes} bytes; write less`)
  }
  const value = parsed(message)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fault('is not a JSON object')
  }
  if (Object.keys(value).some((name) => !outputName.test(name))) {
    return fault(
      'has a name that does not consist of letters, digits, _ and -, or does not begin with a letter',
    )
  }
  if (output.kind === 'hidden') return fault(`cannot be shown; ${output.because}`)
  const { changed, mask } = output
  if (changed !== undefined) return fault(`cannot be shown; ${unmaskable(changed, 'changed')}`)
  return { outputs: masked(value as Json, mask) as Outputs }
}

function fault(why: string) {
  return { fault: `the program succeeded, but the file $TOOL_OUTPUTS ${why}` }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Masks every text in the value, names of members too: the program chooses both. A number can be a secret as well. */
function masked(value: Json, mask: (text: string) => string): Json {
  if (Array.isArray(value)) return value.map((entry) => masked(entry, mask))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([name, one]) => [mask(name), masked(one, mask)]))
  }
  const text = textOf(value)
  const shown = mask(text)
  return shown === text ? value : shown
}
