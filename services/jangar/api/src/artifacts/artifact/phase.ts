import { phaseTable } from '@agents/status'
import { artifactConditions } from './conditions.ts'

export const artifactPhase = phaseTable(artifactConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'The artifact can be downloaded.' },
  { phase: 'Expired', when: { Stored: 'False/Expired' }, doc: 'The artifact expired.' },
  { phase: 'Failed', when: { Stored: 'False/Lost' }, doc: 'The artifact is lost.' },
  { phase: 'Pending', doc: 'The artifact is not stored yet.' },
])
