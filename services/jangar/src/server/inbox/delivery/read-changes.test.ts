import { describe, expect, test } from 'vitest'
import { readDelivery } from './read-delivery.ts'
import {
  before,
  changes,
  commit,
  pipeline,
  pushes,
  status,
  user,
  zeros,
} from './testing/change-payloads.ts'

const job = { stage: 'test', name: 'unit', status: 'failed' }

describe('pushes and checks', () => {
  test.each(changes.slice(0, 3))('$provider: a push', ({ provider, event, payload }) => {
    expect(readDelivery(provider, event, payload)).toEqual({
      kind: 'push',
      push: {
        ...{ repository: 'owner/app', branch: 'main', before, commit, text: 'Fix it' },
        ...{ actor: 'maintainer', actorId: 2 },
      },
    })
  })

  test.each([
    { because: 'a tag', change: { ref: 'refs/tags/v1' } },
    { because: 'a branch that was deleted', change: { after: zeros } },
    { because: 'a bot', change: { sender: { ...user, type: 'Bot' } } },
    {
      because: 'a bot by its name',
      change: { sender: { login: 'x[bot]' }, pusher: { name: 'x[bot]' } },
    },
    { because: 'somebody in the name of another', change: { pusher: { name: 'owner' } } },
    { because: 'a branch that is an option', change: { ref: 'refs/heads/--upload-pack=x' } },
    { because: 'a branch that leaves its folder', change: { ref: 'refs/heads/a/../../b' } },
    { because: 'a branch with a command in it', change: { ref: 'refs/heads/$(id)' } },
    { because: 'a branch with a template in it', change: { ref: 'refs/heads/{{event.text}}' } },
    { because: 'an invalid commit', change: { after: 'main' } },
  ])('a push is ignored if it is of $because', ({ change }) => {
    const payload = { ...pushes.github, ...change }
    expect(readDelivery('github', 'push', payload)).toEqual({ kind: 'ignored' })
  })

  test.each([
    { name: 'project_12_bot_4ffca233d8298ea1', isBot: true },
    { name: 'group_7_bot_4ffca233d8298ea1', isBot: true },
    { name: 'project_12_bot', isBot: true },
    { name: 'project_12_bot2', isBot: true },
    { name: 'project_bot', isBot: false },
    { name: 'robot', isBot: false },
  ])('a push of $name on GitLab is that of a bot: $isBot', ({ name, isBot }) => {
    const payload = { ...pushes.gitlab, user_username: name }
    const expected = isBot ? 'ignored' : 'push'
    expect(readDelivery('gitlab', 'Push Hook', payload).kind).toBe(expected)
  })

  test.each(changes.slice(3))('$provider: a check that fails', ({ provider, event, payload }) => {
    const isGitlab = provider === 'gitlab'
    expect(readDelivery(provider, event, payload)).toEqual({
      kind: 'check',
      check: {
        ...{ repository: 'owner/app', commit },
        branches: provider === 'gitea' ? [] : ['agents/7'],
        name: isGitlab ? 'pipeline' : 'ci/test',
        text: isGitlab ? 'Jobs that failed:\n\n- test: unit' : '3 tests failed',
      },
    })
  })

  test.each([
    { because: 'it succeeds', change: { state: 'success' } },
    { because: 'it runs', change: { state: 'pending' } },
    { because: 'it is one that the platform itself writes', change: { context: 'agents/issues' } },
  ])('a check is ignored if $because', ({ change }) => {
    const payload = { ...status, ...change }
    expect(readDelivery('github', 'status', payload)).toEqual({ kind: 'ignored' })
  })

  test.each([
    { because: 'it has no jobs', builds: [] },
    { because: 'a status from outside failed', builds: [{ ...job, status: 'success' }] },
    { because: 'only jobs failed that may', builds: [{ ...job, allow_failure: true }] },
  ])('a pipeline of GitLab is ignored if $because', ({ builds }) => {
    const payload = { ...pipeline, builds }
    expect(readDelivery('gitlab', 'Pipeline Hook', payload)).toEqual({ kind: 'ignored' })
  })

  test('texts of a check are bounded, and its name is one line', () => {
    const [context, description] = ['a`\n/agent run\u202e'.repeat(100), 'x'.repeat(100_000)]
    const read = readDelivery('github', 'status', { ...status, context, description })
    const { name = '', text } = (read.kind === 'check' && read.check) || { text: '' }
    expect([name.length <= 200, /[`\n\u202e]/.test(name), text.length]).toEqual([true, false, 4000])
  })
})
