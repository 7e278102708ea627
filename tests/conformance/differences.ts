import type { SubjectName } from './subject.ts'

/** A case in which the embedded server answers otherwise on purpose. */
export interface Difference {
  readonly suite: string
  /** The sentence of the case. */
  readonly because: string
  /** What a user has to know. */
  readonly reason: string
}

export const differences: readonly Difference[] = []

export const isDifferent = (subject: SubjectName, suite: string, because: string): boolean =>
  subject === 'embedded' &&
  differences.some((each) => each.suite === suite && each.because === because)
