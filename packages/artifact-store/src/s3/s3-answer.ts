import { StoreError } from '../store-error.ts'

const largestAnswerBytes = 4 * 1024 * 1024
const shownCharacters = 200

/** The text of an answer of bounded size. */
export async function answerText(response: Response, what: string): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.length
    if (size > largestAnswerBytes) {
      throw new StoreError('BadAnswer', `${what}: the answer is larger than S3 gives`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The texts of all elements of a name, with entities replaced. S3's answers use neither attributes nor CDATA there. */
export function elements(xml: string, name: string): string[] {
  const found: string[] = []
  const start = `<${name}>`
  const end = `</${name}>`
  for (let at = xml.indexOf(start); at !== -1; at = xml.indexOf(start, at)) {
    const from = at + start.length
    const to = xml.indexOf(end, from)
    if (to === -1) break
    found.push(withoutEntities(xml.slice(from, to)))
    at = to
  }
  return found
}

export function element(xml: string, name: string): string | undefined {
  return elements(xml, name)[0]
}

/** 409 says that another request about the same key is not finished. */
const temporary = new Set([408, 409, 429, 500, 502, 503, 504])

export function isTemporary(status: number): boolean {
  return temporary.has(status)
}

/** What an answer that is not a success means, in a sentence that names the code that S3 gave. */
export async function refusal(response: Response, what: string): Promise<StoreError> {
  const text = await answerText(response, what).catch(() => '')
  const code = element(text, 'Code')
  const message = element(text, 'Message')
  const said = [code, message].flatMap((part) => (part === undefined ? [] : [shown(part)]))
  const detail = said.length === 0 ? 'no reason of S3' : said.join(': ')
  const reason = isTemporary(response.status)
    ? 'Unavailable'
    : code === undefined && ![401, 403, 404].includes(response.status)
      ? 'BadAnswer'
      : 'Refused'
  return new StoreError(reason, `${what}: status ${response.status}, ${detail}`)
}

/** Words of a server, which may be anything, in a form that can be shown. */
function shown(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim()
  return plain.length > shownCharacters ? `${plain.slice(0, shownCharacters)}…` : plain
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

function withoutEntities(text: string): string {
  return text
    .replaceAll(/&#(\d{1,4});/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities[entity] ?? entity)
}
