export interface Identity {
  readonly name: string
  readonly email: string
}

interface CommitOptions {
  readonly tree: string
  readonly parent: string | undefined
  readonly author: Identity
  readonly committer: Identity
  readonly message: string
  readonly time: Date
  /** Returns an armored signature of the commit's text. */
  readonly sign?: ((payload: Buffer) => Promise<string>) | undefined
}

/**
 * A commit's text, signed where there is a signer. Two calls with the same options give the same commit, signatures
 * apart.
 */
export async function commitObject(options: CommitOptions): Promise<Buffer> {
  const { tree, parent, author, committer, message, time, sign } = options
  const seconds = Math.floor(time.getTime() / 1000)
  const head = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${person(author)} ${seconds} +0000`,
    `committer ${person(committer)} ${seconds} +0000`,
  ]
  const body = `\n${cleanMessage(message)}\n`
  const payload = Buffer.from(`${head.join('\n')}\n${body}`, 'utf8')
  if (sign === undefined) return payload
  const signature = (await sign(payload)).trimEnd().replaceAll('\n', '\n ')
  return Buffer.from(`${head.join('\n')}\ngpgsig ${signature}\n${body}`, 'utf8')
}

function person({ name, email }: Identity): string {
  return `${cleanIdentity(name) || 'unknown'} <${cleanIdentity(email).replaceAll(' ', '')}>`
}

/** These characters end a field of the commit, so none of them can be part of one. */
function cleanIdentity(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const printable = text.replace(/[\u0000-\u001f\u007f<>]+/g, ' ')
  let end = printable.length
  while (end > 0 && /[\s,:;"'\\]/.test(printable[end - 1] ?? '')) end -= 1
  return printable.slice(0, end).replace(/^[\s.,:;"'\\]+/, '')
}

function cleanMessage(message: string): string {
  const text = message.replaceAll('\0', '').replaceAll('\r\n', '\n').trim()
  return text === '' ? 'Update' : text
}
