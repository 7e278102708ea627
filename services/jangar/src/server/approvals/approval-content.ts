/** What is to be approved. */
export interface ApprovalContent {
  /** Everything that decides what would run. */
  readonly digested: object
  /** The same for people, without values of Secrets. */
  readonly summary: readonly (readonly [name: string, text: string | undefined])[]
}

/** Why it cannot be approved, whoever wants to. */
export interface ApprovalObstacle {
  readonly obstacle: string
}

const longestSummary = 16_000
const longestPart = 6_000

/** One line for each part, or an indented block. Text of others cannot look like another part. */
export function summaryText({ summary }: Pick<ApprovalContent, 'summary'>): string {
  const lines = summary.flatMap(([name, text]) => {
    const clean = visible(text ?? '').trim()
    if (clean === '') return []
    const cut = limited(clean, longestPart)
    if (!cut.includes('\n')) return [`${name}: ${cut}`]
    return [`${name}:`, ...cut.split('\n').map((line) => `  ${line}`)]
  })
  return limited(lines.join('\n'), longestSummary)
}

function limited(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most)} … (${text.length - most} more characters, which the digest covers)`
}

/** Without characters that change what a terminal shows: the text comes from whoever asks for the approval. */
function visible(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(hidden, '\uFFFD')
}

/** Control characters except line feed and tab, and characters that reorder or hide text. */
const hidden = /[^\P{C}\n\t]|[\u2028\u2029]/gu
