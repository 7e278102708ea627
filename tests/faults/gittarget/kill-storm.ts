import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { configMapFiles, mirroredConfigMaps } from '../../support/gittarget/branch-contents.ts'
import { OperatorChild } from '../../support/gittarget/operator-child.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { faultServers } from '../../support/testbed/fault-servers.ts'
import { until } from '../../support/testbed/until.ts'

export function testKills(kills: number): void {
  test(`killed with SIGKILL at ${kills} random moments: no reported deletion and no commit of a person is lost`, async () => {
    const server = await faultServers.embedded()
    const { connection, kubeconfigPath } = server
    const bed = await TestBed.start(async () => ({
      name: 'embedded',
      connection,
      stop: () => server.stop(),
    }))
    try {
      await stormOfKills({ kills, bed, kubeconfigPath })
    } finally {
      await bed.stop()
    }
  })
}

interface StormOptions {
  readonly kills: number
  readonly bed: TestBed
  readonly kubeconfigPath: string
}

/** In addition to the time that it takes to start and take a snapshot. */
const longestLifeMs = 1_500

/**
 * Kills the operator with SIGKILL at random moments, while objects and the branches of two mirrors change: one with
 * each prune mode that deletes. After each kill the next process has to bring both branches in line with the cluster,
 * on top of all commits of people.
 */
async function stormOfKills({ kills, bed, kubeconfigPath }: StormOptions): Promise<void> {
  const random = generator(42)
  const teams = [await teamOf(bed, 'always', 'Always'), await teamOf(bed, 'on-event', 'OnEvent')]
  const theirs = new Map<Team, string[]>(teams.map((team) => [team, []]))
  const start = () => OperatorChild.start(kubeconfigPath, bed.stateDir)
  const started = performance.now()
  let operator = await start()
  try {
    for (const team of teams) await untilSettled(team, [])
    const longest = performance.now() - started + longestLifeMs
    for (let kill = 0; kill < kills; kill += 1) {
      const life = random() * longest
      const ended = performance.now() + life
      await Promise.all(
        teams.map(async (team) => {
          theirs.get(team)?.push(await commitOfPerson(team, kill))
          while (performance.now() < ended) {
            await change(team, random)
            await delay(20)
          }
        }),
      )
      await operator.end('SIGKILL')
      const seen = await recordedDeletions(bed.stateDir)
      // Objects also change while no operator runs.
      for (const team of teams) await change(team, random)
      operator = await start()
      if (random() < 0.3) {
        await delay(random() * longest)
        await operator.end('SIGKILL')
        operator = await start()
      }
      for (const team of teams) {
        await untilSettled(team, seen)
        await expectCommits(team, theirs.get(team) ?? [])
      }
    }
    for (const team of teams) {
      await team.isReady()
      await team.remote.git('fsck', '--strict')
    }
    await expectQuietRestart(teams, async () => {
      await operator.end('SIGKILL')
      operator = await start()
      return operator
    })
  } finally {
    await operator.end('SIGKILL')
  }
}

async function teamOf(bed: TestBed, name: string, mode: 'Always' | 'OnEvent'): Promise<Team> {
  const team = await bed.team(name, await bed.remote(), {
    target: { prune: { mode, maxDeleteFraction: 1 } },
    resources: ['configmaps'],
  })
  await team.configMap('first', { value: '1' })
  return team
}

/** Makes a random change to one of a few objects. */
async function change(team: Team, random: () => number): Promise<void> {
  const name = `c${Math.floor(random() * 20)}`
  if (random() < 0.4) await team.deleteConfigMap(name).catch(() => undefined)
  else await team.configMap(name, { value: String(random()) })
}

/** Somebody pushes a commit on top of the branch, and tries again if the branch has moved meanwhile. */
async function commitOfPerson(team: Team, number: number): Promise<string> {
  const { remote } = team
  for (;;) {
    const tip = await remote.tip('main')
    if (tip === undefined) throw new Error('the branch does not exist')
    await remote.git('update-ref', 'refs/heads/person', tip)
    const commit = await remote.commit('person', { [`notes/${number}.txt`]: 'kept\n' })
    const isPushed = await remote.git('update-ref', 'refs/heads/main', commit, tip).then(
      () => true,
      () => false,
    )
    if (isPushed) return commit
  }
}

/** Paths below the namespace of the objects whose deletion the journals of the killed process have. */
async function recordedDeletions(stateDir: string): Promise<string[]> {
  const directory = join(stateDir, 'deletions')
  const files = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'))
  const pending = new Set<string>()
  for (const file of files) {
    for (const text of (await readFile(join(directory, file), 'utf8')).split('\n')) {
      const [, change, namespace, name] =
        /^\{"(add|remove)":.*"namespace":"(.*)","name":"(.*)"\}\}$/.exec(text) ?? []
      const key = `${namespace}/core/configmaps/${name}.yaml`
      if (change === 'add') pending.add(key)
      if (change === 'remove') pending.delete(key)
    }
  }
  return [...pending]
}

/**
 * Waits until the branch has the files of the cluster, and beyond those only files that the status counts. None of
 * these may be of an object whose deletion was `seen`.
 */
async function untilSettled(team: Team, seen: readonly string[]): Promise<void> {
  await until(async () => {
    await delay(100)
    const wanted = await configMapFiles(team)
    const found = await mirroredConfigMaps(team)
    const kept = Object.keys(found).filter((path) => !(path in wanted))
    const isEqual = Object.entries(wanted).every(([path, text]) => found[path] === text)
    const { spec, status } = await team.target()
    const isCounted = (status?.snapshot?.retainedFiles ?? 0) === kept.length
    const isAllowed = kept.length === 0 || spec.prune.mode === 'OnEvent'
    const isForgotten = kept.some((path) => seen.some((end) => path.endsWith(`/${end}`)))
    return isEqual && isCounted && isAllowed && !isForgotten
  })
}

async function expectCommits(team: Team, commits: readonly string[]): Promise<void> {
  const history = new Set((await team.remote.git('rev-list', 'main')).split('\n'))
  expect(commits.filter((commit) => !history.has(commit))).toEqual([])
}

/** A restart without a change of the cluster makes no commit. */
async function expectQuietRestart(
  teams: readonly Team[],
  restart: () => Promise<OperatorChild>,
): Promise<void> {
  const tips = await Promise.all(teams.map(({ remote }) => remote.tip('main')))
  const operator = await restart()
  for (const { namespace } of teams) {
    await until(async () => (await operator.metric('gittarget_in_sync', namespace)) === 1)
  }
  expect(await Promise.all(teams.map(({ remote }) => remote.tip('main')))).toEqual(tips)
}

/** A seeded generator, so that every run has the same numbers. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
