import type { KindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Team, TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'

const ServiceKind: KindRef = {
  ...{ group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true },
}

/** Scenarios for files that contain the status of their objects, on any server. */
export function statusScenarios(startServer: StartServer): void {
  describe('a rule that includes the status', () => {
    let bed: TestBed
    beforeAll(async () => {
      bed = await TestBed.start(startServer)
      await bed.startOperator()
    }, 120_000)
    afterAll(() => bed.stop())

    async function setStatus(
      team: Team,
      observedGeneration: number,
      hostname: string,
    ): Promise<void> {
      const condition = {
        ...{ type: 'Programmed', status: 'True', reason: 'Done', message: '' },
        lastTransitionTime: '2026-01-02T03:04:05Z',
        observedGeneration,
      }
      const status = { conditions: [condition], loadBalancer: { ingress: [{ hostname }] } }
      const key = { name: 'web', namespace: team.namespace }
      await bed.client.patch(
        ServiceKind,
        key,
        { type: 'merge', body: { status } },
        { subresource: 'status', fieldManager: 'load-balancer' },
      )
    }

    test('writes what became of an object, but nothing that repeats itself', async () => {
      const team = await bed.team('outcomes', await bed.remote())
      await team.watch(['services', 'configmaps'], { status: 'Include' })
      await bed.client.create(ServiceKind, {
        metadata: { name: 'web', namespace: 'outcomes' },
        spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      } as never)
      await team.isReady()
      const path = team.path('services', 'web')
      // What changes before the first commit belongs to that commit, whose author is the mirror.
      await team.untilFiles((files) => path in files)
      await setStatus(team, 1, 'one.example.test')
      await team.untilFiles((files) => files[path]?.includes('hostname: one.example.test') === true)
      expect((await team.files())[path]).toContain('status:\n')
      expect((await team.files())[path]).not.toContain('observedGeneration')
      const author = await team.remote.git('log', '-1', '--format=%an', 'main')
      expect(author).toBe('load-balancer (field manager)')
      const before = await team.commits()
      await setStatus(team, 2, 'one.example.test')
      await setStatus(team, 3, 'one.example.test')
      await team.configMap('a', { value: 'one' })
      await team.untilFiles((files) => team.path('configmaps', 'a') in files)
      await setStatus(team, 4, 'two.example.test')
      await team.untilFiles((files) => files[path]?.includes('hostname: two.example.test') === true)
      expect(await team.commits()).toBe(before + 2)

      const state = () => bed.operator.components.mirrors.state('outcomes/mirror')
      await bed.stopOperator()
      await bed.startOperator()
      await expect.poll(() => state()?.isSyncing, { timeout: 60_000 }).toBe(false)
      expect(await team.commits()).toBe(before + 2)
    })

    test('never writes the status of a mirror, which each commit changes', async () => {
      const team = await bed.team('loop', await bed.remote())
      await team.watch(['gittargets', 'configmaps'], { status: 'Include' })
      await team.isReady()
      await team.configMap('a', { value: 'one' })
      await team.untilFiles((files) => team.path('configmaps', 'a') in files)
      const files = await team.files()
      const target = files['cluster/loop/gitops.proompteng.ai/gittargets/mirror.yaml']
      expect(target).toContain('kind: GitTarget')
      expect(target).not.toContain('status:')
    })

    test('must list resources by name', async () => {
      const team = new Team(bed.client, 'default', await bed.remote(), bed.secrets)
      const message = expect.stringContaining('Include requires that resources are listed by name')
      await expect(team.watch(['*'], { status: 'Include' })).rejects.toMatchObject({
        code: 422,
        message,
      })
    })
  })
}
