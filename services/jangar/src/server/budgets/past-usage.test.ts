import { systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type PastUsage, pastUsagePart, type UsageLedger } from './past-usage.ts'
import { budgetOf, runOf, startBook } from './testing/test-book.ts'
import type { Work } from './work.ts'

/** A ledger in memory, which can be away. */
function memoryLedger() {
  const rows = new Map<string, Work>()
  const state = { isAway: false, reads: 0 }
  const orAway = async <T>(value: () => T): Promise<T> => {
    if (state.isAway) throw new Error('away')
    return value()
  }
  const ledger: UsageLedger = {
    record: (work) => orAway(() => void rows.set(work.uid, work)),
    now: () => orAway(() => new Date()),
    known: (uids) => orAway(() => uids.filter((uid) => rows.has(uid))),
    past: ({ except }) =>
      orAway(() => {
        state.reads += 1
        const counted = [...rows.values()].filter(({ uid }) => !except.includes(uid))
        return counted.map(({ agent, labels, named, used }): PastUsage => {
          return { of: { agent, labels, named }, used }
        })
      }),
  }
  return { ledger, state, rows }
}

function opened() {
  const { open, ...rest } = startBook({ hasLedger: true })
  const book = open()
  const used = (name: string) => book.entryOf(budgetOf(name, {}))?.used.tokens
  return { ...rest, book, used }
}

function start(ledger: UsageLedger) {
  const subject = opened()
  const answered = vi.spyOn(subject.book, 'setPast').mock.calls
  const end = new AbortController()
  const part = pastUsagePart({
    ...{ book: subject.book, ledger },
    ...{ log: silentLogger, clock: systemClock },
  })
  const running = part.run(end.signal)
  onTestFinished(async () => {
    end.abort()
    await running
  })
  return { ...subject, answered }
}

function verdictKind(subject: ReturnType<typeof opened>, name: string): string {
  return subject.book.admitAgentRun(runOf(name)).kind
}

describe('a Budget with a ledger', () => {
  test('lets nothing start until the ledger is read, then counts runs that are deleted', async () => {
    const { ledger, rows } = memoryLedger()
    const book = opened()
    book.budgets.put(budgetOf('b', { limits: { tokens: '10' } }))
    expect(book.book.admitAgentRun(runOf('early'))).toMatchObject({
      kind: 'wait',
      reason: 'BudgetUnavailable',
      message: 'Budget b is being read from the ledger',
    })
    const past = book.book.workOf(runOf('past', { usage: { totalTokens: 12 } }))
    rows.set(past.uid, past)
    const subject = start(ledger)
    subject.budgets.put(budgetOf('b', { limits: { tokens: '10' } }))
    await expect.poll(() => subject.used('b')).toBe(12)
    expect(subject.book.admitAgentRun(runOf('late'))).toMatchObject({ reason: 'BudgetExhausted' })
    expect(subject.book.source).toMatch(/and the ledger/)
  })

  test('counts a run once while it is deleted, before and after the ledger has it', async () => {
    const { ledger, state } = memoryLedger()
    const subject = start(ledger)
    subject.budgets.put(budgetOf('b', { limits: { tokens: '100' } }))
    await expect.poll(() => verdictKind(subject, 'any')).toBe('pass')
    const run = runOf('spent', { usage: { totalTokens: 30 } })
    subject.runs.put(run)
    expect(subject.used('b')).toBe(30)
    subject.runs.remove('spent')
    expect(subject.used('b')).toBe(30)
    const reread = async (): Promise<void> => {
      const before = subject.answered.length
      subject.budgets.put(budgetOf('other', { limits: { tokens: '1' } }, state.reads + 2))
      await expect.poll(() => subject.answered.length).toBeGreaterThan(before)
    }
    await reread()
    expect(subject.used('b')).toBe(30)
    await ledger.record(subject.book.workOf(run), '1', new Date())
    await reread()
    expect(subject.used('b')).toBe(30)
    await reread()
    expect(subject.used('b')).toBe(30)
  })

  test('counts the runs of the cluster while the ledger is away, and says so', async () => {
    const { ledger, state } = memoryLedger()
    state.isAway = true
    const subject = start(ledger)
    subject.budgets.put(budgetOf('b', { limits: { tokens: '10' } }))
    await expect.poll(() => verdictKind(subject, 'any')).toBe('pass')
    expect(subject.book.source).toMatch(/the ledger cannot be read/)
    subject.runs.put(runOf('kept', { usage: { totalTokens: 11 } }))
    subject.runs.remove('kept')
    expect(subject.used('b')).toBe(11)
    expect(verdictKind(subject, 'late')).toBe('wait')
  })
})
