import type { AgentRun, OrchestrationRun, ToolRun } from '@agents/jangar-api'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { jsonbText } from './jsonb-text.ts'

export type ArchivedRun = AgentRun | ToolRun | OrchestrationRun
export type ArchivedKind = 'AgentRun' | 'ToolRun' | 'OrchestrationRun'

/** `reduced`: without the content that the database refuses. `none`: there is no archive, and no run waits for it. */
export type Kept = 'whole' | 'reduced' | 'none'

/** Stores a finished run. */
export type KeepRun = (run: ArchivedRun, kind: ArchivedKind) => Promise<Kept>

/** Whether a run has finished and can be archived. */
export function isArchivable(run: ArchivedRun): boolean {
  return run.status?.finishedAt !== undefined && run.metadata.uid !== undefined
}

/**
 * Stores a finished run. Idempotent: an older state never replaces a newer one. A run whose content the database
 * refuses, such as a name that is too long for an index, is stored without it: otherwise it could never be deleted.
 */
export async function archiveRun(
  db: Kysely<Database>,
  run: ArchivedRun,
  kind: ArchivedKind,
): Promise<Kept> {
  try {
    await storeRun(db, run, kind)
    return 'whole'
  } catch (error) {
    if (!isRefusal(error)) throw error
    await storeRun(db, reducedRun(run), kind)
    return 'reduced'
  }
}

/** Throws what `isRefusal` recognizes if the database refuses the content. */
export async function storeRun(
  db: Kysely<Database>,
  run: ArchivedRun,
  kind: ArchivedKind,
  version = run.metadata.resourceVersion ?? '0',
): Promise<void> {
  const { metadata, spec, status } = run
  const outcome = status?.conditions?.find(({ type }) => type === 'Finished')
  const finishedAt = status?.finishedAt ?? ''
  const state = {
    phase: status?.phase ?? '',
    reason: outcome?.reason ?? '',
    started_at: status?.startedAt ?? null,
    finished_at: finishedAt,
    resource_version: version,
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

/**
 * Whether the same row will be refused again: data exceptions and limits of the database, such as the size of an index
 * row, and JSON that is nested too deeply to be written.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof RangeError) return true
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^(?:22|54)/.test(code)
}

/** What the API server or the controllers wrote, in sizes that they limit. */
function reducedRun(run: ArchivedRun): ArchivedRun {
  const { apiVersion, kind, metadata, spec, status } = run
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = metadata
  const refs = (['agentRef', 'toolRef', 'orchestrationRef'] as const).flatMap((field) => {
    const found = nameIn(spec, field)
    return found === null ? [] : [[field, { name: found.slice(0, longestName).toWellFormed() }]]
  })
  const { phase, startedAt, finishedAt, conditions = [] } = status ?? {}
  return {
    ...{ apiVersion, kind },
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp, labels },
    spec: Object.fromEntries(refs),
    status: {
      ...{ phase, startedAt, finishedAt },
      conditions: conditions.map((one) => ({
        ...one,
        message: one.message.slice(0, longestMessage).toWellFormed(),
      })),
    },
  } as ArchivedRun
}

const longestName = 253
const longestMessage = 1000
