import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { recordedServers } from '../../support/testbed/recorded-servers.ts'
import { openRecording } from '../../support/testbed/recording.ts'
import { type HelmVersion, liveThrough, type ReleaseLife } from './live-through.ts'

const versions: readonly HelmVersion[] = ['3', '4']

/** The real server must not run more controllers than the embedded one. */
const controllers =
  'garbage-collector-controller,namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller'

const starters = {
  embedded: startEmbeddedServer,
  real: () =>
    startRealCluster({
      controllerManager: true,
      controllerManagerFlags: [`--controllers=${controllers}`],
      fsync: false,
    }),
}
const servers = await recordedServers()

describe.each(versions)('Helm %s', (version) => {
  const recording = openRecording(join(import.meta.dirname, `generated/helm-${version}.json`))
  afterAll(() => recording.save())

  describe.each(servers)('on the %s server', (name) => {
    let server: Awaited<ReturnType<(typeof starters)[typeof name]>>
    let life: ReleaseLife = {}

    beforeAll(async () => {
      server = await starters[name]()
      life = await liveThrough(version, server)
    }, 180_000)

    afterAll(() => server?.stop())

    test('installs, upgrades, rolls back and uninstalls a chart', () => {
      const failed = Object.entries(life).filter(([, text]) => !text.includes('[exit 0]'))
      expect(failed.map(([station]) => station)).toEqual(['again', 'refused'])
      expect(life.upgraded).toContain('replicas: 3')
      expect(life.upgraded).toContain('boards: 5')
      expect(life.rolledBack).toContain('boards: 3')
      expect(life.uninstalled).not.toContain('kind: Deployment')
      expect(life.uninstalled).not.toContain('boards: 3')
      expect(life.uninstalled).toContain('kind: CustomResourceDefinition')
    })

    test.each([
      'install',
      'installed',
      'again',
      'upgrade',
      'upgraded',
      'refused',
      'rollback',
      'rolledBack',
      'history',
      'status',
      'list',
      'manifest',
      'uninstall',
      'uninstalled',
      'template',
      'applied',
      'appliedAgain',
      'deleted',
    ])('leaves behind what it leaves on the real server: %s', (station) => {
      recording.expectSame(station, life[station]?.split('\n'))
    })
  })
})
