import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { type HelmVersion, liveThrough, type ReleaseLife } from './live-through.ts'

const versions: readonly HelmVersion[] = ['3', '4']
const availability = await realClusterAvailable()

/** The real server must not run more controllers than the embedded one. */
const controllers =
  'garbage-collector-controller,namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller'

describe.each(versions)('Helm %s', (version) => {
  let embedded: EmbeddedServer
  let real: RealCluster | undefined
  let life: ReleaseLife = {}
  let wanted: ReleaseLife | undefined

  beforeAll(async () => {
    embedded = await startEmbeddedServer()
    if (availability.available) {
      real = await startRealCluster({
        controllerManager: true,
        controllerManagerFlags: [`--controllers=${controllers}`],
        fsync: false,
      })
    }
    const [ours, theirs] = await Promise.all([
      liveThrough(version, embedded),
      real && liveThrough(version, real),
    ])
    life = ours
    wanted = theirs
  }, 180_000)

  afterAll(async () => {
    await Promise.all([embedded.stop(), real?.stop()])
  })

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

  test
    .skipIf(!availability.available)
    .each([
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
    ])('leaves the same behind as on the real server: %s', (station) => {
    expect(life[station]).toBe(wanted?.[station])
  })
})
