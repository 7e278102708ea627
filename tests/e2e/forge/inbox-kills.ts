import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { RunningServices } from './services/services.ts'
import { type SourceBed, secret, specKind } from './source-bed.ts'

interface Size {
  readonly issues: number
  /** Of each issue. */
  readonly changes: number
  /** How often the database and the controllers are killed. */
  readonly kills: number
  readonly longestMs: number
}

/**
 * Sends deliveries while PostgreSQL and the controllers are killed, and checks that each one that was acknowledged took
 * effect exactly once, and in order.
 */
export async function sendWhileKilled(
  bed: SourceBed,
  { postgres }: RunningServices,
  size: Size,
): Promise<void> {
  const { issues, changes, kills, longestMs } = size
  const url = bed.hookUrl('github', 'issues')
  const answers: Record<number, number> = {}
  /** As a person who presses "Redeliver" until it is taken. */
  const deliver = async (number: number, change: number): Promise<void> => {
    for (;;) {
      const { status } = await fetch(url, delivery(number, change))
      answers[status] = (answers[status] ?? 0) + 1
      if (status === 202 || status === 200) return
      expect(status).toBe(503)
      await delay(100)
    }
  }
  const sender = async (number: number): Promise<void> => {
    for (let change = 1; change <= changes; change++) await deliver(number, change)
  }
  const killer = async (): Promise<void> => {
    for (let round = 0; round < kills; round++) {
      await delay(500)
      const { pid } = postgres
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      await until(() => Promise.resolve(postgres.pid !== undefined && postgres.pid !== pid))
      await bed.restartControllers()
    }
  }
  const numbers = Array.from({ length: issues }, (_, at) => at + 1)
  await Promise.all([killer(), ...numbers.map(sender)])
  await until(
    async () => {
      const waiting = await bed.db
        .selectFrom('webhook_inbox')
        .select('id')
        .where('state', '=', 'waiting')
        .execute()
        .catch(() => [{}])
      return waiting.length === 0
    },
    'deliveries still wait',
    { timeoutMs: longestMs, everyMs: 500 },
  )
  const rows = await bed.db.selectFrom('webhook_inbox').selectAll().orderBy('id').execute()
  expect(rows).toHaveLength(issues * changes)
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['done']))
  for (const number of numbers) {
    const own = rows.filter(({ subject }) => subject === `o/r#${number}`)
    expect(own.map((row) => row.delivery_id)).toEqual(
      Array.from({ length: changes }, (_, at) => `${number}-${at + 1}`),
    )
    const times = own.map(({ processed_at }) => processed_at?.getTime() ?? 0)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  }
  const { items } = await bed.client.list(specKind, { namespace: bed.namespace })
  const outcome = items.map(({ spec, metadata }) => [spec.summary, metadata.generation])
  // Each change is one generation: none is missing, and none came twice.
  expect(outcome).toEqual(numbers.map(() => [`Change ${changes}`, changes]))
  // Otherwise nothing was killed while it mattered.
  expect(answers[503] ?? 0).toBeGreaterThan(0)
}

function delivery(number: number, change: number): RequestInit {
  const at = new Date(Date.UTC(2026, 10, 17) + change * 1000).toISOString()
  const issue = {
    ...{ number, title: `Change ${change}`, body: 'x', state: 'open', labels: [] },
    ...{ updated_at: at, html_url: `https://git.test/o/r/issues/${number}` },
  }
  const body = JSON.stringify({ action: 'edited', issue, repository: { full_name: 'o/r' } })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return {
    method: 'POST',
    body,
    headers: {
      ...{ 'content-type': 'application/json', 'x-github-event': 'issues' },
      ...{
        'x-github-delivery': `${number}-${change}`,
        'x-hub-signature-256': `sha256=${signature}`,
      },
    },
  }
}
