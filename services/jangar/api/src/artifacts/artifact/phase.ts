import { phaseTable } from '@agents/status'
import { artifactConditions } from './conditions.ts'

export const artifactPhase = phaseTable(artifactConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'The content can be downloaded.' },
  { phase: 'Expired', when: { Stored: 'False/Expired' }, doc: 'The artifact expired.' },
  { phase: 'Failed', when: { Stored: 'False/Lost' }, doc: 'The content is lost.' },
  { phase: 'Failed', when: { Stored: 'False/NotUploaded' }, doc: 'The content was not uploaded.' },
  { phase: 'Pending', doc: 'The content is not stored yet.' },
])
