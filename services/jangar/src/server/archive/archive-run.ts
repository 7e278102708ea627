import type { AgentRun } from '@agents/jangar-api'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { jsonbText } from './jsonb-text.ts'

/** Whether a run has finished and can be archived. */
export function isArchivable(run: AgentRun): boolean {
  return run.status?.finishedAt !== undefined && run.metadata.uid !== undefined
}

/** Stores a finished run. Idempotent: an older state never replaces a newer one. */
export async function archiveRun(db: Kysely<Database>, run: AgentRun): Promise<void> {
  const { metadata, spec, status } = run
  const outcome = status?.conditions?.find(({ type }) => type === 'Finished')
  const finishedAt = status?.finishedAt ?? ''
  const state = {
    phase: status?.phase ?? '',
    reason: outcome?.reason ?? '',
    started_at: status?.startedAt ?? null,
    finished_at: finishedAt,
    resource_version: metadata.resourceVersion ?? '0',
    object: jsonbText(run),
  }
  await db
    .insertInto('run_archive')
    .values({
      uid: metadata.uid ?? '',
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      agent: spec.agentRef.name,
      created_at: metadata.creationTimestamp ?? finishedAt,
      ...state,
    })
    .onConflict((conflict) =>
      conflict
        .column('uid')
        .doUpdateSet(state)
        .whereRef('run_archive.resource_version', '<', 'excluded.resource_version'),
    )
    .execute()
}
