import { agentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { budgetOf, namespace, runOf, startBook } from './testing/test-book.ts'

function conditions(...types: string[]) {
  return {
    conditions: types.map((type) => ({
      type,
      status: 'True',
      reason: type,
      message: '',
      lastTransitionTime: '2026-03-29T11:00:00Z',
    })),
  }
}

function finished(tokens: number, finishedAt = '2026-03-29T11:00:00Z') {
  return { ...conditions('Admitted', 'Finished'), finishedAt, usage: { totalTokens: tokens } }
}

/** A Job whose controller is the AgentRun of its name, in this version of the API. */
function jobOf(name: string, apiVersion: string): KubeObject {
  const owner = { apiVersion, kind: 'AgentRun', name, uid: name, controller: true }
  return { metadata: { name, namespace, ownerReferences: [owner] } } as KubeObject
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `run-${at}`)
}

describe('a burst of 500 runs against a budget of 100', () => {
  test('starts exactly 100', () => {
    const { budgets, runs, open } = startBook()
    budgets.put(budgetOf('b', { limits: { tokens: '100' }, reservation: { tokens: '1' } }))
    const book = open()
    const started = names(500).filter((name) => {
      runs.put(runOf(name))
      return book.admitAgentRun(runOf(name)).kind === 'pass'
    })
    expect(started).toHaveLength(100)
    // Each is asked again in its next reconcile, and keeps what is held for it.
    expect(started.every((name) => book.admitAgentRun(runOf(name)).kind === 'pass')).toBe(true)
    expect(book.admitAgentRun(runOf('run-499')).kind).toBe('wait')
  })

  test('starts exactly 100 although the process is killed again and again', () => {
    const { budgets, runs, jobs, open } = startBook()
    budgets.put(budgetOf('b', { limits: { tokens: '100' }, reservation: { tokens: '1' } }))
    for (const name of names(500)) runs.put(runOf(name))
    const started = new Set<string>()
    for (let life = 0; life < 10; life += 1) {
      const book = open()
      for (const [at, name] of names(500).entries()) {
        // Killed after some decisions: each started run has a Job, and some show it in their status.
        if (at % 10 !== life || started.has(name)) continue
        if (book.admitAgentRun(runOf(name)).kind !== 'pass') continue
        started.add(name)
        jobs.put(jobOf(name, agentRun.apiVersion))
        if (at % 3 === 0) runs.put(runOf(name, conditions('Admitted')))
      }
    }
    expect(started.size).toBe(100)
  })

  test('does not count runs whose Job names a kind of another group as its controller', () => {
    const { budgets, runs, jobs, open } = startBook()
    budgets.put(budgetOf('b', { limits: { tokens: '1' }, reservation: { tokens: '1' } }))
    for (const name of ['victim', 'next']) runs.put(runOf(name))
    jobs.put(jobOf('victim', 'example.com/v1'))
    expect(open().admitAgentRun(runOf('next')).kind).toBe('pass')
    jobs.put(jobOf('victim', agentRun.apiVersion))
    expect(open().admitAgentRun(runOf('next')).kind).toBe('wait')
  })

  test('lets others start when runs end and have used less', () => {
    const { budgets, runs, open, woken } = startBook()
    budgets.put(budgetOf('b', { limits: { tokens: '100' }, reservation: { tokens: '50' } }))
    const book = open()
    for (const name of ['a', 'b', 'c']) runs.put(runOf(name))
    expect(['a', 'b', 'c'].map((name) => book.admitAgentRun(runOf(name)).kind)).toEqual([
      'pass',
      'pass',
      'wait',
    ])
    runs.put(runOf('a', finished(10)))
    expect(woken).toContain('team/c')
    expect(book.admitAgentRun(runOf('c')).kind).toBe('wait')
    runs.put(runOf('b', finished(40)))
    expect(book.admitAgentRun(runOf('c')).kind).toBe('pass')
  })
})

describe('usage', () => {
  test('that is observed twice counts once, and a deleted run counts no more', () => {
    const { budgets, runs, open } = startBook()
    budgets.put(budgetOf('b', { limits: { tokens: '100' } }))
    const book = open()
    const entry = () => book.entryOf(budgetOf('b', {}))?.used.tokens
    runs.put(runOf('a', finished(30)))
    expect(entry()).toBe(30)
    runs.put(runOf('a', finished(30)))
    runs.put(runOf('a', finished(30)))
    expect(entry()).toBe(30)
    runs.remove('a')
    expect(entry()).toBe(0)
  })

  test('that is being replaced counts as before, until it is gone for long', () => {
    const alarms: (() => void)[] = []
    const after = (_: number, action: () => void) => {
      alarms.push(action)
      return () => undefined
    }
    const { budgets, runs, open } = startBook({ after })
    const limits = { limits: { tokens: '100' } }
    budgets.put(budgetOf('b', limits))
    runs.put(runOf('used', finished(100)))
    const book = open()
    const verdict = () => book.admitAgentRun(runOf('new')).kind
    expect(verdict()).toBe('wait')
    budgets.remove('b')
    expect(verdict()).toBe('wait')
    const again = budgetOf('b', limits)
    budgets.put({ ...again, metadata: { ...again.metadata, uid: 'another' } })
    for (const fire of alarms.splice(0)) fire()
    expect(verdict()).toBe('wait')
    budgets.remove('b')
    for (const fire of alarms.splice(0)) fire()
    expect(verdict()).toBe('pass')
  })

  test('is reset at midnight in the time zone, on the day that daylight saving time begins', () => {
    const { budgets, runs, open, setTime } = startBook()
    budgets.put(
      budgetOf('b', { limits: { tokens: '100' }, window: 'day', timezone: 'Europe/Vienna' }),
    )
    const book = open()
    runs.put(runOf('old', finished(100, '2026-03-28T22:59:59Z')))
    runs.put(runOf('today', finished(100, '2026-03-28T23:00:00Z')))
    expect(book.entryOf(budgetOf('b', {}))?.used.tokens).toBe(100)
    expect(book.admitAgentRun(runOf('next'))).toMatchObject({
      kind: 'wait',
      reason: 'BudgetExhausted',
      eligibleAt: new Date('2026-03-29T22:00:00Z'),
    })
    setTime('2026-03-29T22:00:00Z')
    expect(book.admitAgentRun(runOf('next')).kind).toBe('pass')
  })

  test('of a model without a price counts tokens alone', () => {
    const { budgets, runs, open } = startBook()
    budgets.put(budgetOf('b', { limits: { tokens: '1000', dollars: '1' } }))
    const book = open()
    runs.put(runOf('known', finished(10), { parameters: { model: 'gpt-5' } }))
    runs.put(runOf('unknown', finished(7), { parameters: { model: 'other' } }))
    expect(book.entryOf(budgetOf('b', {}))?.used).toEqual({ tokens: 17, dollars: 10, unpriced: 7 })
  })
})

describe('several Budgets', () => {
  test('must all hold, and a run can reserve more than they demand, but never less', () => {
    const { budgets, open } = startBook()
    budgets.put(budgetOf('wide', { limits: { tokens: '100' }, reservation: { tokens: '10' } }))
    const scope = { labelSelector: { matchLabels: { team: 'a' } } }
    budgets.put(budgetOf('narrow', { limits: { tokens: '5' }, scope }))
    const book = open()
    const ask = (name: string, tokens: string, labels = {}) => {
      const run = runOf(name, {}, { policy: { reserve: { tokens } } })
      return book.admitAgentRun({ ...run, metadata: { ...run.metadata, labels } })
    }
    expect(ask('labelled', '6', { team: 'a' })).toMatchObject({
      kind: 'wait',
      message: expect.stringMatching(/^Budget narrow: the limit of 5 tokens is used up/),
    })
    expect(ask('greedy', '91').kind).toBe('pass')
    expect(ask('modest', '0')).toMatchObject({
      kind: 'wait',
      message: expect.stringMatching(/Budget wide: .*; the run needs 10 tokens$/),
    })
  })
})
