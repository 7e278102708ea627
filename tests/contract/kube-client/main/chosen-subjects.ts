import type { SubjectName } from '../../../support/kube-client/subject.ts'
import { realClusterAvailable } from '../../../support/testbed/real-cluster.ts'

/** The servers to run on: both, unless KUBE_SUBJECT selects one or a real one is not available. */
export async function chosenSubjects(): Promise<SubjectName[]> {
  const chosen = process.env.KUBE_SUBJECT
  if (chosen === 'embedded' || chosen === 'real') return [chosen]
  if (chosen !== undefined) {
    throw new Error(`KUBE_SUBJECT is ${chosen}, and must be embedded or real`)
  }
  const availability = await realClusterAvailable()
  if (availability.available) return ['embedded', 'real']
  process.stderr.write(`\nSKIPPED on the real kube-apiserver: ${availability.reason}\n\n`)
  return ['embedded']
}
