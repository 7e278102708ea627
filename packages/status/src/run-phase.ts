import { type PhaseTable, phaseTable } from './phase-table.ts'
import type { RunConditions } from './run-conditions.ts'

export type RunPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'

/** The phase of a run of any kind: Running once every gate has passed. */
export function runPhase(set: RunConditions): PhaseTable<RunPhase> {
  const started = Object.fromEntries(set.gates.map(({ type }) => [type, 'True' as const]))
  return phaseTable(set, [
    { phase: 'Succeeded', when: { Succeeded: 'True' }, doc: 'It has finished with success.' },
    { phase: 'Cancelled', when: { Finished: 'True/Cancelled' }, doc: 'It was stopped on request.' },
    { phase: 'Failed', when: { Finished: 'True' }, doc: 'It has finished without success.' },
    { phase: 'Running', when: started, doc: 'Its work is going on.' },
    { phase: 'Pending', doc: 'Its work has not started; Succeeded says what it waits for.' },
  ])
}
