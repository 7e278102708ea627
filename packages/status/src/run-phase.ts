import { type PhaseTable, phaseTable } from './phase-table.ts'
import type { RunConditions } from './run-conditions.ts'

export type RunPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'

/** The phase of a run of any kind: Running once every gate has passed. */
export function runPhase(set: RunConditions): PhaseTable<RunPhase> {
  const started = Object.fromEntries(set.gates.map(({ type }) => [type, 'True' as const]))
  return phaseTable(set, [
    { phase: 'Succeeded', when: { Succeeded: 'True' }, doc: 'The run finished successfully.' },
    {
      phase: 'Cancelled',
      when: { Finished: 'True/Cancelled' },
      doc: 'The run was stopped on request.',
    },
    { phase: 'Failed', when: { Finished: 'True' }, doc: 'The run failed.' },
    { phase: 'Running', when: started, doc: 'The work is in progress.' },
    { phase: 'Pending', doc: 'The work has not started; see the reason of Succeeded.' },
  ])
}
