/** Hides known secret values in text, in the spellings in which they usually come up. */
export interface SecretMask {
  (text: string): string
  /** Length of the longest spelling: a text cut with less than this after the cut may hide half a secret. */
  readonly longest: number
}

const MASK = '***'
/** Shorter values are words: masking them would garble the output and hide nothing. */
const SHORTEST_SECRET = 6

export function createSecretMask(secrets: Iterable<string>): SecretMask {
  const spellings = new Set(
    [...secrets]
      // Output is masked line by line, and so are secrets of several lines, such as keys.
      .flatMap((secret) => secret.split('\n').map((line) => line.trim()))
      .filter((line) => line.length >= SHORTEST_SECRET)
      .flatMap(spellingsOf),
  )
  const ordered = [...spellings].toSorted((a, b) => b.length - a.length)
  const longest = ordered[0]?.length ?? 0
  const pattern = new RegExp(ordered.map((spelling) => RegExp.escape(spelling)).join('|'), 'g')
  const mask = (text: string) => (longest === 0 ? text : text.replace(pattern, MASK))
  return Object.assign(mask, { longest })
}

function spellingsOf(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
  ]
}

const SECRET_NAME = /token|secret|passw(?:or)?d|api_?key|private_?key|access_?key|credential/i
const NAME_OF_A_PLACE = /_(?:path|file|dir|name|ref)$/i

/** Values of variables whose names say that they are secret, of those listed, and passwords inside URLs. */
export function secretsIn(
  env: Readonly<Record<string, string | undefined>>,
  listed: readonly string[] = [],
): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const isSecret = SECRET_NAME.test(name) && !NAME_OF_A_PLACE.test(name)
    return isSecret || listed.includes(name) ? [value] : passwordIn(value)
  })
}

function passwordIn(value: string): string[] {
  if (!value.includes('://') || !URL.canParse(value)) return []
  const { password } = new URL(value)
  return password === '' ? [] : [password, safelyDecoded(password)]
}

function safelyDecoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
