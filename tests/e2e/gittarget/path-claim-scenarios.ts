import { SecretKind } from '@agents/kube'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HttpRemote } from '../../../packages/git/src/testing/http-remote.ts'
import { GitProviderKind, type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'

/** A tenant that names the repository of another one, with and without permission to write to it. */
export function pathClaimScenarios(start: StartServer): void {
  let bed: TestBed
  let server: HttpRemote
  beforeAll(async () => {
    bed = await TestBed.start(start)
    await bed.startOperator()
  }, 60_000)
  afterEach(() => server.stop())
  afterAll(() => bed.stop())

  const rightPassword = 'right-password-of-the-repository'

  const privateRemote = async () => {
    const remote = await bed.remote()
    server = new HttpRemote(remote.path)
    server.authorization = `Basic ${Buffer.from(`robot:${rightPassword}`).toString('base64')}`
    await server.start()
    return remote
  }

  const withPassword = async (
    name: string,
    password: string,
    remote: Awaited<ReturnType<typeof privateRemote>>,
  ) => {
    const team = await bed.team(name, remote, { provider: false, target: false })
    await team.secret('login', { username: 'robot', password })
    await team.createProvider({ url: server.url, secretRef: { name: 'login' } })
    await team.createTarget()
    await untilOlder(team)
    return team
  }

  /** Ages are compared by creationTimestamp, which has a resolution of one second. */
  const untilOlder = async (team: Team): Promise<void> => {
    const { creationTimestamp = '' } = (await team.target()).metadata
    await until(() => Date.now() >= Date.parse(creationTimestamp) + 1000)
  }

  const allMessages = async (team: Team): Promise<string> => {
    const path = `/api/v1/namespaces/${team.namespace}/events`
    const events = await bed.client.request({ path })
    return JSON.stringify([(await team.target()).status, events.bytes.toString('utf8')])
  }

  describe('a path belongs to a target that can write there', () => {
    test('an older target without valid credentials blocks no other target', async () => {
      const remote = await privateRemote()
      const attacker = await withPassword('squatter', 'a-wrong-password', remote)
      await attacker.until('Bootstrapped=False/BootstrapFailed')
      const honest = await withPassword('honest', rightPassword, remote)
      await honest.isReady()
      expect(await allMessages(honest)).not.toContain('squatter')
      await attacker.until('Bootstrapped=False/BootstrapFailed')
      expect(await allMessages(attacker), 'names nobody').not.toContain('honest')
      expect(await allMessages(attacker), 'hides that the path is used').not.toContain(
        'TargetConflict',
      )
    })

    test('a target that can only read a public repository blocks no other target', async () => {
      const remote = await privateRemote()
      server.isPublic = true
      const attacker = await bed.team('reader', remote, { provider: { url: server.url } })
      await attacker.until('Bootstrapped=True/BootstrapApplied')
      await untilOlder(attacker)
      const honest = await withPassword('writer', rightPassword, remote)
      await honest.isReady()
      await attacker.until('Bootstrapped=False/BootstrapFailed')
    })

    test('a provider that is recreated does not restore the claim', async () => {
      const remote = await privateRemote()
      const attacker = await withPassword('recreator', 'a-wrong-password', remote)
      const honest = await withPassword('steady', rightPassword, remote)
      await honest.isReady()
      await bed.client.delete(GitProviderKind, { namespace: 'recreator', name: 'repository' })
      await attacker.until('Validated=False/ProviderNotFound')
      await attacker.createProvider({ url: `${server.url}/`, secretRef: { name: 'login' } })
      await attacker.until('Bootstrapped=False/BootstrapFailed')
      await honest.configMap('late', {})
      await honest.watch(['configmaps'])
      await honest.untilFiles((files) => honest.path('configmaps', 'late') in files)
      await honest.isReady()
    })

    test('the older of two that can write owns the path, and the other one does not learn its name', async () => {
      const remote = await privateRemote()
      const older = await withPassword('elder', rightPassword, remote)
      await older.isReady()
      const younger = await withPassword('junior', rightPassword, remote)
      await younger.until('Validated=False/TargetConflict')
      expect(await allMessages(younger)).toContain('GitTarget in another namespace')
      expect(await allMessages(younger)).not.toContain('elder')
      // The owner's password changes on the server and in its Secret, one after the other.
      await bed.client.apply(
        SecretKind,
        { metadata: { name: 'login', namespace: 'elder' }, stringData: { password: 'not yet' } },
        { fieldManager: 'somebody', force: true },
      )
      await older.configMap('note', {})
      await younger.change({ prune: { mode: 'Always' } })
      expect(await younger.conditionTexts()).toContain('Validated=False/TargetConflict')
      await older.secret('login', { username: 'robot', password: rightPassword })
      await older.isReady()
    })

    test('within a namespace the conflict names the owner, also to a target that cannot write', async () => {
      const remote = await privateRemote()
      const team = await withPassword('family', rightPassword, remote)
      await team.isReady()
      await team.secret('other-login', { username: 'robot', password: 'another-wrong-password' })
      await bed.client.create(GitProviderKind, {
        metadata: { name: 'broken', namespace: 'family' },
        spec: { url: server.url, secretRef: { name: 'other-login' }, allowedBranches: ['main'] },
      } as never)
      await team.createTarget({ path: 'cluster/inside', providerRef: { name: 'broken' } }, 'second')
      await team.until('Validated=False/TargetConflict', 'second')
      expect(JSON.stringify(await team.target('second'))).toContain(
        'GitTarget mirror (path cluster)',
      )
    })

    test('a target that gets write access later takes the path of a younger one', async () => {
      const remote = await privateRemote()
      const older = await withPassword('late', 'not-the-password-yet', remote)
      await older.until('Bootstrapped=False/BootstrapFailed')
      const younger = await withPassword('early', rightPassword, remote)
      await younger.isReady()
      await older.secret('login', { username: 'robot', password: rightPassword })
      await older.isReady()
      await younger.until('Validated=False/TargetConflict')
    })
  })
}
