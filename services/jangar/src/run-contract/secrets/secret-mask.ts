import { mostSecretBytes, searchableTexts } from './searchable-texts.ts'
import { passwordIn, type SecretValue, textsOf } from './secret-spellings.ts'
import { type Span, TextSearch } from './text-search.ts'

/** Hides known secret values in text, in the spellings in which they usually come up. */
export interface SecretMask {
  /** The text with `***` for every secret. The first `hidden` characters are omitted. */
  (text: string, hidden?: number): string
  /** Length of the longest spelling: a text cut with less than this after the cut may hide half a secret. */
  readonly longest: number
  /** Masks the beginning of a text that continues later. Its first `hidden` characters are omitted. */
  head(text: string, hidden?: number): MaskedHead
  /** Whether the secrets cannot be searched for, so that the mask hides all text. */
  readonly hidesAll: boolean
}

/** The end of a text that is continued may be the beginning of a secret, so that it cannot be shown yet. */
interface MaskedHead {
  readonly visible: string
  /** Belongs before the text that follows. */
  readonly rest: string
  /** This many characters at the start of the rest are the end of a secret that is masked in the shown text. */
  readonly hidden: number
}

const replacement = '***'

/**
 * A mask for the values. If they are too large, or if it cannot be built for any other reason, it hides all text. Never
 * throws: an error could carry the text of a secret, and would keep a run from recording its outcome.
 */
export function createSecretMask(secrets: Iterable<SecretValue>): SecretMask {
  try {
    const spellings = boundedSpellings([...secrets])
    return spellings === undefined ? hideAll : maskOf(spellings)
  } catch {
    return hideAll
  }
}

/** Undefined if there is too much to search for. */
function boundedSpellings(secrets: readonly SecretValue[]): string[] | undefined {
  const bytes = secrets.reduce((sum, secret) => sum + secret.length, 0)
  return bytes > mostSecretBytes ? undefined : searchableTexts(spellingsIn(secrets))
}

function* spellingsIn(secrets: readonly SecretValue[]): Generator<string> {
  for (const secret of secrets) yield* textsOf(secret)
}

function maskOf(spellings: readonly string[]): SecretMask {
  const longest = spellings.reduce((most, { length }) => Math.max(most, length), 0)
  const search = new TextSearch(spellings)
  const find = (text: string) => (longest === 0 ? [] : search.spans(text))
  const mask = (text: string, hidden = 0) => masked(text, find(text), hidden, text.length)
  const head = (text: string, hidden = 0) => {
    const spans = find(text)
    const cut = Math.max(0, text.length - Math.max(0, longest - 1))
    const across = spans.find(({ start, end }) => start < cut && end > cut)
    return {
      visible: masked(text, spans, hidden, cut),
      rest: text.slice(cut),
      hidden: Math.max(hidden, across?.end ?? 0, cut) - cut,
    }
  }
  return Object.assign(mask, { longest, head, hidesAll: false })
}

function masked(text: string, spans: readonly Span[], hidden: number, until: number): string {
  const parts: string[] = []
  let done = hidden
  for (const { start, end } of spans) {
    if (start >= until) break
    if (end <= done) continue
    // What continues a secret that is masked already needs no second mask.
    if (start >= done) parts.push(text.slice(done, start), replacement)
    done = end
  }
  if (done < until) parts.push(text.slice(done, until))
  return parts.join('')
}

const hideAll: SecretMask = Object.assign(
  (text: string) => {
    if (text.trim() === '') return text
    return text.endsWith('\n') ? `${replacement}\n` : replacement
  },
  { longest: 0, head: () => ({ visible: '', rest: replacement, hidden: 0 }), hidesAll: true },
)

/** Why nothing can be shown under a mask that hides all. */
export const hiddenNotice =
  'the output is hidden because the Secrets of the run are too large to be masked'

const secretName = /token|secret|passw(?:or)?d|api_?key|private_?key|access_?key|credential/i
const locationName = /_(?:path|file|dir|name|ref)$/i

/** The values of listed variables and of those with names like token or password, and passwords inside URLs. */
export function secretsIn(
  env: Readonly<Record<string, string | undefined>>,
  listed: readonly string[] = [],
): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const isSecret = secretName.test(name) && !locationName.test(name)
    return isSecret || listed.includes(name) ? [value] : passwordIn(value)
  })
}
