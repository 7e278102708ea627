import { defineKind, type ObjectOf, optional, statusObject, string, timestamp } from '@agents/crd'
import { group, platform } from '../../group.ts'
import { ready, readyMessage, readyReason } from '../../printer-column.ts'
import { implementation } from './fields.ts'
import { reportStatus } from './report.ts'

export const implementationSpec = defineKind({
  ...platform,
  group: group.agents,
  kind: 'ImplementationSpec',
  plural: 'implementationspecs',
  shortNames: ['impl'],
  description: 'A piece of work for an agent: what to do, and the criteria for its completion.',
  spec: implementation('The work.'),
  status: statusObject({
    syncedAt: optional(timestamp('When it was last imported from its source.')),
    sourceVersion: optional(string('Version of the source that was imported.')),
    report: optional(reportStatus),
  }),
  columns: [
    ready,
    { name: 'Source', type: 'string', jsonPath: '.spec.source.provider' },
    { name: 'Updated', type: 'date', jsonPath: '.status.syncedAt' },
    { name: 'State', type: 'string', jsonPath: '.spec.source.state', priority: 1 },
    { name: 'Summary', type: 'string', jsonPath: '.spec.summary', priority: 1 },
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type ImplementationSpec = ObjectOf<typeof implementationSpec>
