import { archiveIndexes } from './archive-indexes.ts'

/**
 * Finds the runs of a phase in a namespace, which is what a tenant asks for. With the indexes of one column each,
 * PostgreSQL reads every run of the namespace to find that none has failed.
 */
export const runArchiveByPhase = archiveIndexes([
  { name: 'by_namespace_and_phase', columns: 'namespace, phase, created_at desc, uid' },
])
