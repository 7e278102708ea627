/** An error in an expression. The offset is in code points; -1 if there is no position. */
interface Issue {
  readonly offset: number
  readonly message: string
}

/**
 * A list of issues. Issues after the first hundred are only counted, so that a hostile expression cannot produce
 * megabytes of text.
 */
export interface IssueList {
  readonly issues: Issue[]
  total: number
}

export function newIssueList(): IssueList {
  return { issues: [], total: 0 }
}

export function addIssue(list: IssueList, offset: number, message: string): void {
  list.total++
  if (list.total <= maxIssues) list.issues.push({ offset, message })
}

/** Formats issues as cel-go does: each with its source line and a caret under the position. */
export function formatIssues(source: string, list: IssueList): string {
  const lines = source.split('\n').map((line) => [...line])
  const located = list.issues.map((issue) => ({ issue, position: locate(lines, issue.offset) }))
  located.sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
  const texts = located.map(({ issue, position }) => formatIssue(lines, issue, position))
  if (list.total > maxIssues) texts.push(`${list.total - maxIssues} more errors were truncated`)
  return texts.join('\n')
}

interface Position {
  readonly line: number
  readonly column: number
}

const maxIssues = 100
const maxSnippetLength = 16384

function locate(lines: readonly string[][], offset: number): Position {
  if (offset < 0) return { line: -1, column: -1 }
  let rest = offset
  for (const [index, line] of lines.entries()) {
    if (rest <= line.length) return { line: index + 1, column: rest }
    rest -= line.length + 1
  }
  return { line: lines.length, column: lines.at(-1)?.length ?? 0 }
}

function formatIssue(lines: readonly string[][], issue: Issue, position: Position): string {
  const head = `ERROR: <input>:${position.line}:${position.column + 1}: ${issue.message}`
  const line = lines[position.line - 1]
  if (line === undefined || line.length > maxSnippetLength) return head
  const snippet = line.map((character) => (character === '\t' ? ' ' : character))
  const pointer = snippet
    .slice(0, position.column)
    .map((character) => (isWide(character) ? '．' : '.'))
    .join('')
  const caret = isWide(snippet[position.column] ?? ' ') ? '＾' : '^'
  return `${head}\n | ${snippet.join('')}\n | ${pointer}${caret}`
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f
}
