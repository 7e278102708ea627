/** What one check has to say. */
export interface Finding {
  readonly about: string
  readonly verdict: 'good' | 'doubtful' | 'bad'
  readonly says: string
  /** What to do about it: sentences or commands. */
  readonly advice?: readonly string[]
}

const marks = { good: 'ok   ', doubtful: 'maybe', bad: 'bad  ' } as const

/** For the log of a pod: a line for each finding, with what to do. */
export function reportText(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ about, verdict, says, advice = [] }) =>
      `${marks[verdict]}  ${about}  ${[says, ...advice].join('. ')}\n`,
  )
  return lines.join('')
}
