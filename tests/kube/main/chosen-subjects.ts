import { realClusterAvailable } from '../../testbed/real-cluster.ts'
import type { SubjectName } from '../subject.ts'

/** On which servers to run: both, unless KUBE_SUBJECT names one or there is no real one here. */
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
