import { type ConfigMap, ConfigMapKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'

const mirrorAddress = 'gittarget@agents.invalid'

/** Scenarios for the authors of commits, on any server. */
export function authorScenarios(startServer: StartServer): void {
  describe('the author of a commit', () => {
    let bed: TestBed
    beforeAll(async () => {
      bed = await TestBed.start(startServer)
      await bed.startOperator()
    }, 120_000)
    afterAll(() => bed.stop())

    const push = { commitWindow: '1s', maxWindow: '10s' }

    async function apply(team: Team, name: string, value: string, fieldManager: string) {
      const metadata = { name, namespace: team.namespace }
      await bed.client.apply<ConfigMap>(
        ConfigMapKind,
        { metadata, data: { value } },
        { fieldManager, force: true },
      )
    }

    function contains(team: Team, name: string, value: string): Promise<void> {
      return team.untilFiles(
        (files) => files[team.path('configmaps', name)]?.includes(value) === true,
      )
    }

    /** `author address, committer address: message` of each commit but the first, oldest first. */
    async function commits(team: Team): Promise<string[]> {
      const format = '--format=%an <%ae>, %ce: %s'
      const log = await team.remote.git('log', '--reverse', format, 'main')
      return log.split('\n').slice(1)
    }

    test('is who made the change, one commit for each', async () => {
      const team = await bed.team('authors', await bed.remote(), {
        provider: { push },
        resources: ['configmaps'],
      })
      await team.isReady()
      await apply(team, 'a', 'one', 'argocd-controller')
      await apply(team, 'b', 'one', 'kubectl-edit')
      await contains(team, 'a', 'one')
      await contains(team, 'b', 'one')
      expect((await commits(team)).sort()).toEqual([
        `argocd-controller (field manager) <argocd-controller@manager.agents.invalid>, ${mirrorAddress}: Create authors/core/configmaps/a`,
        `kubectl-edit (field manager) <kubectl-edit@manager.agents.invalid>, ${mirrorAddress}: Create authors/core/configmaps/b`,
      ])
    })

    test('is the committer where the server records nobody: deletions and removals', async () => {
      const team = await bed.team('unknown', await bed.remote(), { resources: ['configmaps'] })
      await team.isReady()
      const metadata = { name: 'a', namespace: 'unknown' }
      const data = { kept: 'x', gone: 'y' }
      await bed.client.apply<ConfigMap>(
        ConfigMapKind,
        { metadata, data },
        { fieldManager: 'developer' },
      )
      await contains(team, 'a', 'gone')
      await bed.client.patch(ConfigMapKind, metadata, {
        type: 'json',
        body: [{ op: 'remove', path: '/data/gone' }],
      })
      await team.untilFiles((files) => !files[team.path('configmaps', 'a')]?.includes('gone'))
      await team.deleteConfigMap('a')
      await team.untilFiles((files) => !(team.path('configmaps', 'a') in files))
      expect((await commits(team)).map((line) => line.split(',')[0])).toEqual([
        'developer (field manager) <developer@manager.agents.invalid>',
        `GitTarget <${mirrorAddress}>`,
        `GitTarget <${mirrorAddress}>`,
      ])
    })

    test('cannot be forged by the name of a field manager', async () => {
      const team = await bed.team('forged', await bed.remote(), { resources: ['configmaps'] })
      await team.isReady()
      await apply(team, 'a', 'one', 'Else <else@example.org> 0 +0000')
      await contains(team, 'a', 'one')
      const [commit = ''] = await commits(team)
      expect(commit).toMatch(
        /^Else else@example\.org 0 \+0000 \(field manager\) <[^<>@ ]+@manager\.agents\.invalid>, /,
      )
      const text = await team.remote.git('cat-file', 'commit', 'main')
      expect(text.split('\n').filter((line) => /^(author|committer) /.test(line))).toHaveLength(2)
    })
  })
}
