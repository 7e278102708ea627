import { phaseTable } from '@agents/status'
import { artifactConditions } from './conditions.ts'

export const artifactPhase = phaseTable(artifactConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'It can be fetched.' },
  { phase: 'Expired', when: { Stored: 'False/Expired' }, doc: 'Its time is over.' },
  { phase: 'Failed', when: { Stored: 'False/Lost' }, doc: 'It is lost.' },
  { phase: 'Pending', doc: 'It is not there yet.' },
])
