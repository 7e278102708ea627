import type { GitTarget } from '@agents/gittarget-api'
import { type ConfigMap, ConfigMapKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Team, TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'

/** Scenarios for changes that a target ignores, on any server. */
export function ignoreScenarios(startServer: StartServer): void {
  describe('a target that ignores', () => {
    let bed: TestBed
    beforeAll(async () => {
      bed = await TestBed.start(startServer)
      await bed.startOperator()
    }, 120_000)
    afterAll(() => bed.stop())

    async function teamThatIgnores(namespace: string, ignore: GitTarget['spec']['ignore']) {
      const team = await bed.team(namespace, await bed.remote(), {
        target: { ignore } as never,
        resources: ['configmaps'],
      })
      await team.isReady()
      return team
    }

    /** The managers of a write have times in seconds, so the last write must be in a second of its own. */
    async function apply(
      { namespace }: Team,
      name: string,
      data: Record<string, string>,
      fieldManager = 'developer',
    ): Promise<void> {
      const metadata = { name, namespace }
      const old = await bed.client.get(ConfigMapKind, metadata).catch(() => undefined)
      const times = (old?.metadata.managedFields ?? []).map(({ time = '' }) => Date.parse(time))
      await until(() => Date.now() > Math.max(0, ...times) + 1000)
      const options = { fieldManager, force: true }
      await bed.client.apply<ConfigMap>(ConfigMapKind, { metadata, data }, options)
    }

    async function text(team: Team, name: string): Promise<string | undefined> {
      return (await team.files())[team.path('configmaps', name)]
    }

    function contains(team: Team, name: string, part: string): Promise<unknown> {
      return until(async () => (await text(team, name))?.includes(part) === true)
    }

    test('a manager: its writes change no file, not even after a restart', async () => {
      const team = await teamThatIgnores('managers', { managers: ['argocd-*'] })
      await apply(team, 'a', { value: 'one' })
      await contains(team, 'a', 'one')
      const before = await team.commits()
      await apply(team, 'a', { value: 'two' }, 'argocd-controller')
      await apply(team, 'created', { value: 'two' }, 'argocd-controller')
      // Events arrive in order: once this change is mirrored, the others have been seen.
      await apply(team, 'b', { value: 'one' })
      await contains(team, 'b', 'one')
      expect(await team.commits()).toBe(before + 1)
      expect(await text(team, 'a')).toContain('one')
      expect(await text(team, 'created')).toBeUndefined()

      await bed.stopOperator()
      await bed.startOperator()
      const state = () => bed.operator.components.mirrors.state('managers/mirror')
      await until(() => state()?.snapshot.kind === 'completed' && state()?.isSyncing === false)
      expect(await team.commits()).toBe(before + 1)

      await apply(team, 'a', { value: 'three' })
      await apply(team, 'created', { value: 'three' })
      await contains(team, 'a', 'three')
      await contains(team, 'created', 'three')
      await team.deleteConfigMap('created')
      await until(async () => (await text(team, 'created')) === undefined)
    })

    test('a field: it is not written, not compared, and kept where a file has it', async () => {
      const fields = [{ resources: ['configmaps'], paths: ['/data/volatile'] }]
      const team = await teamThatIgnores('fields', { fields })
      await apply(team, 'a', { kept: 'one', volatile: 'one' })
      await contains(team, 'a', 'kept: one')
      expect(await text(team, 'a')).not.toContain('volatile')
      const before = await team.commits()
      await apply(team, 'a', { kept: 'one', volatile: 'two' })
      await apply(team, 'b', { kept: 'one' })
      await contains(team, 'b', 'one')
      expect(await team.commits()).toBe(before + 1)

      const path = team.path('configmaps', 'a')
      const written = (await text(team, 'a')) ?? ''
      await team.remote.commit('main', {
        [path]: `${written}# mine\n`.replace('kept: one', 'kept: one\n  volatile: by hand'),
      })
      await apply(team, 'a', { kept: 'two', volatile: 'three' })
      await contains(team, 'a', 'kept: two')
      expect(await text(team, 'a')).toContain('volatile: by hand')
      expect(await text(team, 'a')).toContain('# mine')
    })

    test.each([
      ['/metadata/name', 'the object could not be identified'],
      ['/metadata', 'it contains the name'],
      ['/kind', 'the object could not be identified'],
      ['/*/replicas', 'it matches everything'],
      ['spec/replicas', 'it is not a JSON pointer'],
      ['/spec/a~2b', 'the escape is unknown'],
    ])('the field %s is rejected, because %s', async (path) => {
      const ignore = { fields: [{ paths: [path] }] }
      const team = new Team(bed.client, 'default', await bed.remote(), bed.secrets)
      const rejected = expect(team.createTarget({ ignore } as never)).rejects
      await rejected.toMatchObject({ code: 422, message: expect.stringContaining('.paths[0]') })
    })
  })
}
