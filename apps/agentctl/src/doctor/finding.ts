export interface Finding {
  readonly about: string
  readonly verdict: 'good' | 'doubtful' | 'bad'
  readonly says: string
  /** What to do about it: sentences or commands. */
  readonly advice?: readonly string[]
}
