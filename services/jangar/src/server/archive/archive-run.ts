import type { AgentRun } from '@agents/jangar-api'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database-schema.ts'
import { jsonbText } from './jsonb-text.ts'

/** Whether a run has ended, so that there is something to keep. */
export function isArchivable(run: AgentRun): boolean {
  return run.status?.finishedAt !== undefined && run.metadata.uid !== undefined
}

/** Keeps a run that has ended, and what it used. Harmless to repeat; an older state never replaces a newer one. */
export async function archiveRun(db: Kysely<Database>, run: AgentRun): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await keepObject(transaction, run)
    await keepUsage(transaction, run)
  })
}

async function keepObject(db: Transaction<Database>, run: AgentRun): Promise<void> {
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

async function keepUsage(db: Transaction<Database>, run: AgentRun): Promise<void> {
  const { metadata, spec, status } = run
  const { inputTokens = 0, outputTokens = 0, dollars = '0' } = status?.usage ?? {}
  const totalTokens = status?.usage?.totalTokens ?? BigInt(inputTokens) + BigInt(outputTokens)
  if (status?.usage === undefined) return
  await db
    .insertInto('usage_ledger')
    .values({
      run_uid: metadata.uid ?? '',
      namespace: metadata.namespace ?? '',
      agent: spec.agentRef.name,
      budget: spec.policy?.budgetRef?.name ?? null,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: totalTokens,
      dollars,
      recorded_at: status.finishedAt ?? '',
    })
    .onConflict((conflict) => conflict.column('run_uid').doNothing())
    .execute()
}
