import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { OperatorChild } from '../../support/gittarget/operator-child.ts'
import { TestBed } from '../../support/gittarget/test-bed.ts'
import { type FaultServer, faultServers } from '../../support/testbed/fault-servers.ts'
import { until } from '../../support/testbed/until.ts'

let server: FaultServer
let bed: TestBed
let operator: OperatorChild | undefined

beforeAll(async () => {
  server = await faultServers.embedded()
  const { connection } = server
  bed = await TestBed.start(async () => ({
    name: 'embedded',
    connection,
    stop: () => server.stop(),
  }))
})

afterAll(async () => {
  await operator?.end('SIGKILL')
  await bed.stop()
})

test('SIGTERM with an open commit window: pending changes are pushed first', async () => {
  const team = await bed.team('gently', await bed.remote(), {
    provider: { push: { commitWindow: '5m', maxWindow: '10m' } },
    resources: ['configmaps'],
  })
  await team.configMap('a', { version: '1' })
  operator = await OperatorChild.start(server.kubeconfigPath, bed.stateDir)
  await team.isReady()
  await untilEqual(team)
  await team.configMap('a', { version: '2' })
  const pending = () => operator?.metric('gittarget_pending_changes', team.namespace)
  await until(async () => (await pending()) === 1)
  expect(await operator.end('SIGTERM')).toBe(0)
  expect((await team.files())[team.path('configmaps', 'a')]).toContain('version: "2"')
})
