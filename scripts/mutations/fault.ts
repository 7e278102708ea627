/** A fault that the product once had, and the edit that puts it back. */
export interface Fault {
  readonly name: string
  /** The commit that fixed it. */
  readonly commit: string
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
  /**
   * Test files that the fix added or changed, except long ones of which another shows the same. Without their ending:
   * `tests/e2e/forge/triggers` stays right when the test moves to another tier.
   */
  readonly tests: readonly string[]
}

/** The text of the file with the fault. */
export function withFault(fault: Pick<Fault, 'file' | 'find' | 'replace'>, text: string): string {
  const { file, find, replace } = fault
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined) throw new Error(`${file} has no ${find}`)
  if (more.length > 0) throw new Error(`${file} has ${find} more than once`)
  return `${before}${replace}${after}`
}
