import { usageFailure } from './command-failure.ts'

/** `run/first run/second`, as commands print it, is `run first second`. Anything without a slash stays as it is. */
export function kindAndNames(given: readonly string[]): readonly string[] {
  if (!given[0]?.includes('/')) return given
  const pairs = given.map((each) => each.split('/', 2))
  const [[kind = ''] = []] = pairs
  if (pairs.some(([other, name]) => other !== kind || !name)) {
    throw usageFailure('names with a slash must all have the form KIND/NAME and the same kind')
  }
  return [kind, ...pairs.map(([, name = '']) => name)]
}
