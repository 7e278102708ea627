import { type AnyRun, ranBy } from './run-summary.ts'

/** The part of the specs of run kinds that is searched. */
interface SearchedSpec {
  readonly implementation?: {
    readonly inline?: { readonly summary?: string; readonly text?: string }
  }
  readonly parameters?: Readonly<Record<string, unknown>>
}

const longestText = 100_000
const longestWord = 100

/**
 * The words of a text, without the case of ASCII letters. They are separated by what is neither a digit, nor a letter,
 * nor beyond ASCII. The function `run_archive_words` of the database does the same.
 */
export function wordsOf(text: string): ReadonlySet<string> {
  const lower = [...text]
    .slice(0, longestText)
    .join('')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const words = lower.split(/[^a-z0-9\u{80}-\u{10ffff}]+/u)
  return new Set(
    words.filter((word) => word !== '').map((word) => [...word].slice(0, longestWord).join('')),
  )
}

/** What of a run is searched. The function `run_archive_text` of the database does the same. */
export function searchedText(run: AnyRun): string {
  const outcome = run.status?.conditions?.find(({ type }) => type === 'Succeeded')
  const { implementation, parameters = {} } = (run.spec ?? {}) as SearchedSpec
  return [
    run.metadata.name,
    ranBy(run),
    outcome?.reason,
    outcome?.message,
    implementation?.inline?.summary,
    implementation?.inline?.text,
    ...Object.values(parameters).map((value) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    ),
  ]
    .filter((part) => part !== undefined)
    .join(' ')
}
