import { type Forge, ForgeError } from '@agents/forge'
import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { reportedAgentRun } from './reported-run.ts'
import { type Report, writeReport } from './write-report.ts'

const signal = new AbortController().signal
const commit = 'a'.repeat(40)
const run = {
  metadata: { namespace: 'agents', name: 'issues-label-1' },
  spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } },
  status: {
    phase: 'Succeeded',
    summary: 'Ping @everyone: the key is hunter2',
    vcs: { commit, pullRequest: { number: 7, state: 'Open' } },
  },
} as unknown as AgentRun

/** A service and a record that survive crashes. The act with this number fails, before or after it has taken effect. */
function world(failing: { readonly at: number; readonly moment: 'before' | 'after' } | undefined) {
  const comments = new Map<number, string>()
  const statuses: string[] = []
  let report: Report = {}
  let acts = 0
  const act = async <T>(effect: () => T): Promise<T> => {
    const isFailing = failing !== undefined && ++acts === failing.at
    if (isFailing && failing.moment === 'before') throw new ForgeError('unreachable', 'crash')
    const result = effect()
    if (isFailing) throw new ForgeError('unreachable', 'crash')
    return result
  }
  const listed = () => [...comments].map(([id, body]) => ({ id, body, author: 'bot' }))
  const forge = {
    comments: () => act(listed),
    addComment: (_subject: unknown, body: string) =>
      act(() => {
        const id = comments.size + 1
        comments.set(id, body)
        return { id, body, author: 'bot' }
      }),
    editComment: (_subject: unknown, id: number, body: string) =>
      act(() => {
        if (!comments.has(id)) throw new ForgeError('missing', 'no such comment')
        comments.set(id, body)
        return { id, body, author: 'bot' }
      }),
    setCommitStatus: ({ commit: at, state }: { commit: string; state: string }) =>
      act(() => void statuses.push(`${at} ${state}`)),
  } as unknown as Forge
  return {
    comments,
    statuses,
    acts: () => acts,
    recorded: () => report,
    write: (runs: readonly AgentRun[]) =>
      writeReport(
        {
          open: async () => forge,
          record: (next) =>
            act(() => {
              report = next
            }),
          about: {
            ...{ repository: 'o/r', number: 3, context: 'agents/issues' },
            runs: runs.map(reportedAgentRun),
            wanted: { comment: true, commitStatus: true },
          },
          signal,
        },
        report,
      ),
  }
}

const moments = Array.from({ length: 8 }, (_, at) => at + 1).flatMap((at) =>
  (['before', 'after'] as const).map((moment) => ({ at, moment })),
)

test.each(moments)('there is one comment, although it crashes $moment act $at', async (failing) => {
  const found = world(failing)
  const running = { ...run, status: { phase: 'Running' } } as unknown as AgentRun
  for (const runs of [[running], [run]]) {
    await found.write(runs).catch(() => found.write(runs))
  }
  expect([...found.comments.values()]).toEqual([expect.stringContaining('succeeded | #7 open')])
  expect(new Set(found.statuses)).toEqual(new Set([`${commit} success`]))
  const before = found.acts()
  await found.write([run])
  expect(found.acts()).toBe(before)
})

test('a comment contains no text of the agent', async () => {
  const found = world(undefined)
  await found.write([run])
  expect(found.comments.get(1)).not.toMatch(/everyone|hunter2/)
})

test('a comment of somebody else who writes the marker first is not taken for ours', async () => {
  const found = world(undefined)
  found.comments.set(1, '<!-- agents:report 00000000-0000-4000-8000-000000000000 -->')
  await found.write([run])
  expect(found.recorded().commentId).toBe(2)
})

test('a comment that was deleted is not written again', async () => {
  const found = world(undefined)
  await found.write([{ ...run, status: { phase: 'Running' } } as unknown as AgentRun])
  found.comments.clear()
  await found.write([run])
  await found.write([run])
  expect(found.comments.size).toBe(0)
  expect(found.recorded().isRemoved).toBe(true)
})
