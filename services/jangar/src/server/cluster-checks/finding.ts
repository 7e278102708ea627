/** The result of one check. */
export interface Finding {
  readonly about: string
  readonly verdict: 'good' | 'doubtful' | 'bad'
  readonly says: string
  /** What to do about it: sentences or commands. */
  readonly advice?: readonly string[]
}

const marks = { good: 'ok   ', doubtful: 'maybe', bad: 'bad  ' } as const

/** Formats findings for the log of a pod: one line for each, with advice. */
export function reportText(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ about, verdict, says, advice = [] }) =>
      `${marks[verdict]}  ${about}  ${[says, ...advice].join('. ')}\n`,
  )
  return lines.join('')
}
