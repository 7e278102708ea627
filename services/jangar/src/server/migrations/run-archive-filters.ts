import { sql } from 'kysely'
import { archiveIndexes } from './archive-indexes.ts'

const repository = `lower(left(object #>> '{status,vcs,repository}', 400) collate "C")`

/** The repository of an archived run, as `api/run-repository.ts` compares it: the index has exactly this expression. */
export const archivedRepository = sql.raw(repository)

/** Finds the runs of a repository, in all namespaces and in one, and those of an Orchestration. */
export const runArchiveFilters = archiveIndexes([
  { name: 'by_repository', columns: `(${repository}), created_at desc, uid` },
  {
    name: 'by_namespace_and_repository',
    columns: `namespace, (${repository}), created_at desc, uid`,
  },
  { name: 'by_orchestration', columns: 'orchestration, created_at desc, uid' },
])
