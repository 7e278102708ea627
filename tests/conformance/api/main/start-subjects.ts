import type { TestProject } from 'vitest/node'
import { realClusterAvailable } from '../../../support/testbed/real-cluster.ts'
import { isFull } from '../../../support/tier.ts'
import { type RunningSubject, type Subject, type SubjectName, subjectStarters } from '../subject.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly subjects: readonly Subject[]
    /** If set, the answers of the real server are recorded as expected. */
    readonly recording: boolean
  }
}

const names: readonly SubjectName[] = ['real', 'embedded']
const choices = [...names, 'both']

/**
 * The gate asks the embedded server alone, full both: each must answer as is recorded. CONFORMANCE_SUBJECT selects
 * `embedded`, `real` or `both`. CONFORMANCE_RECORD=1 records the answers of the real server.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const recording = process.env.CONFORMANCE_RECORD === '1'
  const usual = isFull ? 'both' : 'embedded'
  const chosen = recording ? 'real' : (process.env.CONFORMANCE_SUBJECT ?? usual)
  if (!choices.includes(chosen)) {
    throw new Error(`CONFORMANCE_SUBJECT is ${chosen}, and must be one of ${choices.join(', ')}`)
  }
  const running: RunningSubject[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((subject) => subject.stop()))
  }
  try {
    for (const name of names.filter((each) => chosen === 'both' || each === chosen)) {
      if (name === 'real' && !(await canRunReal())) continue
      running.push(await subjectStarters[name]())
    }
  } catch (error) {
    await stop()
    throw error
  }
  project.provide(
    'subjects',
    running.map(({ subject }) => subject),
  )
  project.provide('recording', recording)
  return stop
}

async function canRunReal(): Promise<boolean> {
  const availability = await realClusterAvailable()
  if (availability.available) return true
  const line = '='.repeat(80)
  process.stderr.write(
    `\n${line}\nSKIPPED: the half of this suite that asks the real kube-apiserver.\n${availability.reason}\n${line}\n\n`,
  )
  return false
}
