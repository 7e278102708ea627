/** A secret value. Bytes, if it may not be text. */
export type SecretValue = string | Buffer

/**
 * Shorter values are not distinguishable from ordinary words: masking them would garble the output and protect nothing.
 */
export const shortestSecret = 4
/** Parts of a value, such as the members of a JSON document, are often ordinary words; secrets are longer. */
const shortestPart = 8
/** Lengths of line at which the usual programs break base64. */
const base64Lines = [64, 76]

/** All texts that show a secret value or a part of it. */
export function* textsOf(secret: SecretValue): Generator<string> {
  const text = secret.toString()
  // Only the encodings depend on bytes that are not valid UTF-8; programs and the kubelet replace them when they show
  // text.
  if (typeof secret !== 'string' && secret.length >= shortestSecret) yield* encodingsOf(secret)
  for (const part of partsOf(text)) yield* spellingsOf(part)
}

/** The value, and whatever in it may be printed by itself. */
function* partsOf(secret: string): Generator<string> {
  const lines = secret.split('\n').map((line) => line.trim())
  for (const part of [secret, ...lines]) if (part.trim().length >= shortestSecret) yield part
  for (const part of settingsIn(lines)) if (part.length >= shortestPart) yield part
  for (const part of textsIn(parsedJson(secret))) if (part.length >= shortestPart) yield part
  for (const part of passwordIn(secret.trim())) if (part.length >= shortestPart) yield part
}

/** What follows `token: ` or `PASSWORD=` in a file of settings, without quotes. */
function* settingsIn(lines: readonly string[]): Generator<string> {
  for (const line of lines) {
    const separator = line.search(/[:=]/)
    if (separator < 1 || !/^[\w.-]+$/.test(line.slice(0, separator).trimEnd())) continue
    const value = line.slice(separator + 1).trim()
    const start = isQuote(value.at(0)) ? 1 : 0
    yield value.slice(start, value.length > 1 && isQuote(value.at(-1)) ? -1 : undefined)
  }
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'"
}

function parsedJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Every text in the document. Without recursion, since a document may be nested deeper than the stack. */
function textsIn(document: unknown): string[] {
  const texts: string[] = []
  const open = [document]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) open.push(member)
    }
  }
  return texts
}

/** The ways in which a text is usually written. */
export function spellingsOf(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed())
  const spellings = [
    secret,
    secret.trim(),
    url,
    url.replaceAll('%20', '+'),
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...encodingsOf(Buffer.from(secret)),
  ]
  return spellings.filter((spelling) => spelling.length >= shortestSecret)
}

/** In hexadecimal and in both alphabets of base64. */
function encodingsOf(secret: Buffer): string[] {
  const base64 = base64Of(secret)
  const hex = secret.toString('hex')
  return [
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** Alone, with the newline that `echo` adds, inside of a longer text at any offset, and broken into lines. */
function base64Of(secret: Buffer): string[] {
  const whole = [secret, Buffer.concat([secret, Buffer.from('\n')])].map((bytes) =>
    bytes.toString('base64'),
  )
  const broken = whole.flatMap((text) =>
    base64Lines.flatMap((length) => (text.length <= length ? [] : brokenAt(text, length))),
  )
  // Of the first and last group of three bytes a part belongs to the neighbours.
  const inside = [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), secret])
    const text = bytes.toString('base64url')
    const start = offset === 0 ? 0 : 4
    const own = text.slice(start, bytes.length % 3 === 0 ? undefined : -1)
    return own.replaceAll('-', '+').replaceAll('_', '/')
  })
  return [...whole, ...broken, ...inside].filter((text) => text.length >= shortestPart)
}

function brokenAt(text: string, length: number): string[] {
  const count = Math.ceil(text.length / length)
  return Array.from({ length: count }, (_, line) => text.slice(line * length, (line + 1) * length))
}

/** The password of a URL, as it is written and decoded. */
export function passwordIn(value: string): string[] {
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
