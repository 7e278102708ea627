import type { Failure } from './failure.ts'
import type { Tally } from './tally-reporter.ts'

/** More files than this fail together for a reason that a second run does not remove. */
const mostFiles = 5

/** The files to run again, or none if some failure belongs to no file. */
export function filesToRepeat({ failures }: Tally): readonly string[] {
  const files = new Set(failures.map(({ file }) => file))
  const known = [...files].filter((file) => file !== undefined)
  return known.length === files.size && known.length <= mostFiles ? known : []
}

/** A suite's result after its failed files have been run again. */
interface Repeated {
  readonly tally: Tally
  /** What failed at first and passed when repeated. */
  readonly unstable: readonly Failure[]
}

/** The second run decides: whatever fails twice has failed. */
export function afterRepeat(first: Tally, second: Tally): Repeated {
  const failedAgain = new Set(second.failures.map(({ where }) => where))
  const unstable = first.failures.filter(({ where }) => !failedAgain.has(where))
  if (second.failed === 0) {
    return { tally: { passed: first.passed + first.failed, failed: 0, failures: [] }, unstable }
  }
  const passed = first.passed + Math.max(first.failed - second.failed, 0)
  return { tally: { passed, failed: second.failed, failures: second.failures }, unstable }
}
