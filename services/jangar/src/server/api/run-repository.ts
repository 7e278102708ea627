import { repositoryName } from '../../run-contract/repository/repository-name.ts'
import type { AnyRun } from './run-summary.ts'

/**
 * A repository as runs are looked for by it: `Org/Name.git` finds `org/name`. The index of the archive lower-cases
 * ASCII letters alone, too.
 */
export function repositoryKey(repository: string): string {
  return lowerCase(repositoryName(repository))
}

/** The repository that a run works in, in the same form. It is known as soon as the run is accepted. */
export function repositoryOf({ status }: AnyRun): string | undefined {
  const repository = status?.vcs?.repository
  return repository === undefined ? undefined : lowerCase(repository)
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
