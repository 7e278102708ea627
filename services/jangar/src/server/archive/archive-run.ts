import type { AgentRun, OrchestrationRun, ToolRun } from '@agents/jangar-api'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { jsonbText } from './jsonb-text.ts'

export type ArchivedRun = AgentRun | ToolRun | OrchestrationRun
export type ArchivedKind = 'AgentRun' | 'ToolRun' | 'OrchestrationRun'

/** Stores a finished run. */
export type KeepRun = (run: ArchivedRun, kind: ArchivedKind) => Promise<void>

/** Whether a run has finished and can be archived. */
export function isArchivable(run: ArchivedRun): boolean {
  return run.status?.finishedAt !== undefined && run.metadata.uid !== undefined
}

/** Stores a finished run. Idempotent: an older state never replaces a newer one. */
export async function archiveRun(
  db: Kysely<Database>,
  run: ArchivedRun,
  kind: ArchivedKind,
): Promise<void> {
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
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      agent: nameIn(spec, 'agentRef'),
      tool: nameIn(spec, 'toolRef'),
      orchestration: nameIn(spec, 'orchestrationRef'),
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

/** A run that was refused may lack its reference, although the schema requires it today. */
function nameIn(spec: ArchivedRun['spec'] | undefined, field: string): string | null {
  const ref = (spec as Readonly<Record<string, unknown>> | undefined)?.[field]
  return (ref as { readonly name?: string } | undefined)?.name ?? null
}
