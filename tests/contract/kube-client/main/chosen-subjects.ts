import type { SubjectName } from '../../../support/kube-client/subject.ts'
import { serversOfTier } from '../../../support/testbed/servers-of-tier.ts'

/** The servers to run on: those of the tier, unless KUBE_SUBJECT selects one. */
export async function chosenSubjects(): Promise<readonly SubjectName[]> {
  const chosen = process.env.KUBE_SUBJECT
  if (chosen === undefined) return serversOfTier()
  if (chosen === 'embedded' || chosen === 'real') return [chosen]
  throw new Error(`KUBE_SUBJECT is ${chosen}, and must be embedded or real`)
}
