import type { ChangeHandlers } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { type RunClaims, runClaims } from './run-claims.ts'

function run(name: string, status: object = {}): AgentRun {
  return { metadata: { namespace: 'work', name, uid: name }, spec: {}, status } as AgentRun
}

const finished = {
  conditions: [{ type: 'Finished', status: 'True', reason: 'Failed', message: '' }],
}

function portsWith() {
  let handlers: ChangeHandlers<AgentRun> | undefined
  const claims = runClaims({
    subscribe: (given) => {
      handlers = given
      return { hasSynced: () => true, remove: () => undefined }
    },
  })
  if (!handlers) throw new Error('nobody listens')
  return { claims, handlers }
}

test('the first of two runs that claim a branch owns it, however often both claim it', () => {
  const { claims } = portsWith()
  const asked = ['a', 'b', 'a', 'b'].map((name) => claims.claim(run(name), 'fix/7'))
  expect(asked).toEqual([true, false, true, false])
})

test('a run can own a branch in each repository that its steps use', () => {
  const { claims } = portsWith()
  claims.claim(run('a'), 'fix/7')
  claims.claim(run('a'), 'fix/8')
  expect(['fix/7', 'fix/8', 'fix/9'].map((branch) => claims.claim(run('b'), branch))).toEqual([
    false,
    false,
    true,
  ])
})

test.each([
  {
    because: 'it has finished',
    end: ({ onUpdate }: ChangeHandlers<AgentRun>) => onUpdate(run('a'), run('a', finished)),
  },
  {
    because: 'it was deleted',
    end: ({ onDelete }: ChangeHandlers<AgentRun>) => onDelete(run('a')),
  },
  {
    because: 'it releases its claims',
    end: (_: ChangeHandlers<AgentRun>, claims: RunClaims) => claims.release(run('a')),
  },
])('a run loses its branch when $because', ({ end }) => {
  const { claims, handlers } = portsWith()
  claims.claim(run('a'), 'fix/7')
  handlers.onUpdate(run('a'), run('a'))
  expect(claims.claim(run('b'), 'fix/7')).toBe(false)
  end(handlers, claims)
  expect(claims.claim(run('b'), 'fix/7')).toBe(true)
})
