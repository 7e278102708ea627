/** A reason why an expression does not compile. The offset is in code points; -1 where there is no place to point at. */
export interface Issue {
  readonly offset: number
  readonly message: string
}

/** Gathers issues; after a hundred it only counts, so that a hostile expression cannot make a report of megabytes. */
export interface IssueList {
  readonly issues: Issue[]
  total: number
}

export function newIssueList(): IssueList {
  return { issues: [], total: 0 }
}

export function addIssue(list: IssueList, offset: number, message: string): void {
  list.total++
  if (list.total <= MAX_ISSUES) list.issues.push({ offset, message })
}

/** As cel-go prints them: each with its line and a caret under the place. */
export function formatIssues(source: string, list: IssueList): string {
  const lines = source.split('\n').map((line) => [...line])
  const located = list.issues.map((issue) => ({ issue, place: locate(lines, issue.offset) }))
  located.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
  const texts = located.map(({ issue, place }) => formatIssue(lines, issue, place))
  if (list.total > MAX_ISSUES) texts.push(`${list.total - MAX_ISSUES} more errors were truncated`)
  return texts.join('\n')
}

interface Place {
  readonly line: number
  readonly column: number
}

const MAX_ISSUES = 100
const MAX_SNIPPET_LENGTH = 16384

function locate(lines: readonly string[][], offset: number): Place {
  if (offset < 0) return { line: -1, column: -1 }
  let rest = offset
  for (const [index, line] of lines.entries()) {
    if (rest <= line.length) return { line: index + 1, column: rest }
    rest -= line.length + 1
  }
  return { line: lines.length, column: lines.at(-1)?.length ?? 0 }
}

function formatIssue(lines: readonly string[][], issue: Issue, place: Place): string {
  const head = `ERROR: <input>:${place.line}:${place.column + 1}: ${issue.message}`
  const line = lines[place.line - 1]
  if (line === undefined || line.length > MAX_SNIPPET_LENGTH) return head
  const snippet = line.map((character) => (character === '\t' ? ' ' : character))
  const pointer = snippet
    .slice(0, place.column)
    .map((character) => (isWide(character) ? '．' : '.'))
    .join('')
  const caret = isWide(snippet[place.column] ?? ' ') ? '＾' : '^'
  return `${head}\n | ${snippet.join('')}\n | ${pointer}${caret}`
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f
}
