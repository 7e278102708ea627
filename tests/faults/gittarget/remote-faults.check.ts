import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mirroredConfigMaps, untilEqual } from '../../support/gittarget/branch-contents.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'
import { once, removeHook, setHook, takeAway } from './remote-faults.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
})
afterAll(() => bed.stop())

let count = 0

/** A team whose three ConfigMaps are mirrored. */
async function mirroredTeam(options: { branch?: string; ready?: boolean } = {}): Promise<Team> {
  count += 1
  const { branch = 'main', ready = true } = options
  const remote = await bed.remote()
  const team = await bed.team(`faults-${count}`, remote, {
    provider: { allowedBranches: ['*'] },
    target: { branch },
  })
  for (const name of ['a', 'b', 'c']) await team.configMap(name, { version: '1' })
  await team.watch(['configmaps'])
  if (!ready) return team
  await team.isReady()
  await untilEqual(team, branch)
  return team
}

async function push(team: Team) {
  return (await team.target()).status?.push
}

describe('an unreachable remote', () => {
  test('before the target is created: is reported, and nothing is lost', async () => {
    const remote = await bed.remote()
    const bringBack = await takeAway(remote)
    const team = await bed.team('away-before', remote, { resources: ['configmaps'] })
    await team.configMap('a', { version: '1' })
    await until(async () => (await team.conditionTexts()).some((one) => /^Ready=False/.test(one)))
    await bringBack()
    await team.isReady()
    await untilEqual(team)
  })

  test('when a commit window closes: is reported with the pending changes, which arrive without another event', async () => {
    const team = await mirroredTeam()
    const bringBack = await takeAway(team.remote)
    await team.configMap('a', { version: '2' })
    await team.configMap('new', { version: '1' })
    await team.deleteConfigMap('b')
    await until(async () => {
      const { pendingChanges = 0, lastError } = (await push(team)) ?? {}
      return pendingChanges === 3 && lastError !== undefined
    })
    await bringBack()
    await untilEqual(team)
    await until(async () => {
      const { pendingChanges = 0, lastError, lastCommit } = (await push(team)) ?? {}
      return (
        pendingChanges === 0 &&
        lastError === undefined &&
        lastCommit === (await team.remote.tip('main'))
      )
    })
    await team.isReady()
  })

  test('when the response to a successful push is lost: it is not pushed twice', async () => {
    const team = await mirroredTeam()
    const before = await team.commits()
    await setHook(team.remote, 'post-receive', once(team.remote, 'kill -9 $PPID'))
    await team.configMap('a', { version: '2' })
    await untilEqual(team)
    await until(async () => (await push(team))?.lastCommit === (await team.remote.tip('main')))
    expect(await team.commits()).toBe(before + 1)
  })

  test('when the operator stops: the next one writes the remaining changes', async () => {
    const team = await mirroredTeam()
    const bringBack = await takeAway(team.remote)
    await team.configMap('a', { version: '2' })
    await bed.stopOperator()
    await team.configMap('c', { version: '2' })
    await bed.startOperator()
    await bringBack()
    await untilEqual(team)
  })

  test('when the operator starts: objects deleted while it waits are deleted in the branch', async () => {
    const team = await mirroredTeam()
    await bed.stopOperator()
    const bringBack = await takeAway(team.remote)
    await bed.startOperator()
    const mirror = () => bed.operator.components.mirrors.state(`${team.namespace}/mirror`)
    await until(() => mirror()?.streams.every(({ state }) => state.kind === 'live'))
    await team.deleteConfigMap('b')
    await until(() => (mirror()?.lastEventTime ?? 0) !== 0)
    await bringBack()
    await untilEqual(team)
  })

  test('that hangs: others are not delayed, and the mirror continues when the remote does', async () => {
    const slow = await mirroredTeam()
    const fast = await mirroredTeam()
    const wait = 'touch "$GIT_DIR/begun"; while [ ! -e "$GIT_DIR/go" ]; do sleep 0.2; done'
    await setHook(slow.remote, 'update', wait)
    await slow.configMap('a', { version: '2' })
    await until(() => existsSync(`${slow.remote.path}/begun`))
    for (let round = 2; round < 5; round += 1) {
      await fast.configMap('a', { version: String(round) })
      await untilEqual(fast)
    }
    await slow.configMap('b', { version: '3' })
    expect((await mirroredConfigMaps(slow))[slow.path('configmaps', 'a')]).toContain('version: "1"')
    await setHook(slow.remote, 'update', 'exit 0')
    await writeFile(`${slow.remote.path}/go`, '')
    await untilEqual(slow)
  })
})

describe('a concurrent writer', () => {
  const theirs = { 'theirs.txt': 'theirs\n' }

  test('during our push: their commit survives, ours follows', async () => {
    const team = await mirroredTeam()
    const commit = await team.remote.commit('theirs', { ...theirs })
    await team.remote.git('update-ref', '-d', 'refs/heads/theirs')
    const tip = (await team.remote.tip('main')) ?? ''
    const tree = await mergedTree(team, tip, commit)
    const racing = await team.remote.git('commit-tree', '-p', tip, '-m', 'racing', tree)
    await setHook(team.remote, 'update', once(team.remote, `git update-ref $1 ${racing}`))
    await team.configMap('a', { version: '2' })
    await untilEqual(team)
    await team.remote.git('merge-base', '--is-ancestor', racing, 'main')
    expect(await team.remote.git('show', 'main:theirs.txt')).toBe('theirs')
  })

  test('on the branch that we are about to create: their commit survives', async () => {
    const team = await mirroredTeam({ branch: 'fresh', ready: false })
    const commit = await team.remote.commit('main', theirs)
    await setHook(team.remote, 'update', once(team.remote, `git update-ref $1 ${commit}`))
    await team.isReady()
    await untilEqual(team, 'fresh')
    await team.remote.git('merge-base', '--is-ancestor', commit, 'fresh')
    expect(await team.remote.git('show', 'fresh:theirs.txt')).toBe('theirs')
  })

  test('to our own files: the state of the cluster is restored, and the history keeps their commit', async () => {
    const team = await mirroredTeam()
    const path = team.path('configmaps', 'a')
    const commit = await team.remote.commit('main', { [path]: 'nonsense: [\n', ...theirs })
    await team.configMap('b', { version: '2' })
    await untilEqual(team)
    await team.remote.git('merge-base', '--is-ancestor', commit, 'main')
    expect(await team.remote.git('show', 'main:theirs.txt')).toBe('theirs')
  })

  test.each([
    {
      because: 'deletes the branch',
      act: (team: Team) => team.remote.git('update-ref', '-d', 'refs/heads/main'),
    },
    {
      because: 'replaces the branch by unrelated history',
      act: async (team: Team) => {
        await team.remote.commit('other', theirs)
        await team.remote.git('update-ref', 'refs/heads/main', 'refs/heads/other')
      },
    },
    {
      because: 'resets the branch to an earlier commit',
      act: async (team: Team) => {
        await team.configMap('late', { version: '1' })
        await untilEqual(team)
        await team.remote.git('update-ref', 'refs/heads/main', 'refs/heads/main~1')
      },
    },
    { because: 'empties the repository', act: (team: Team) => team.remote.init() },
  ])('$because: the next change restores all files', async ({ act }) => {
    const team = await mirroredTeam()
    await act(team)
    const left = await team.remote.tip('main')
    await team.configMap('a', { version: '2' })
    await untilEqual(team)
    await team.isReady()
    if (left !== undefined) await team.remote.git('merge-base', '--is-ancestor', left, 'main')
  })

  test('ten writers at once: all commits survive, and the mirror succeeds', async () => {
    const team = await mirroredTeam()
    await removeHook(team.remote, 'update')
    const writers = Array.from({ length: 10 }, async (_none, writer) => {
      for (let round = 0; round < 3; round += 1) {
        await team.configMap(`w${writer}`, { round: String(round) })
        await until(() =>
          team.remote.commit('main', { [`w${writer}-${round}`]: 'x' }, `w${writer}-${round}`).then(
            () => true,
            () => false,
          ),
        )
      }
    })
    await Promise.all(writers)
    await team.configMap('last', { version: '1' })
    await untilEqual(team)
    await team.remote.git('fsck', '--strict')
  })
})

/** A tree with the files of both commits. */
async function mergedTree(team: Team, one: string, other: string): Promise<string> {
  const entries = await Promise.all(
    [one, other].map((commit) => team.remote.git('ls-tree', '-z', commit)),
  )
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', GIT_DIR: team.remote.path }
  return execFileSync('git', ['mktree', '-z'], { env, input: entries.join('') })
    .toString()
    .trim()
}
