import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { connectionTo } from '../../support/testbed/server.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const servers = [
  { name: 'embedded', start: () => startEmbeddedServer() },
  { name: 'real', start: () => startRealCluster({ fsync: false }) },
]

describe.each(servers)('kubectl against the $name server', ({ start }) => {
  let bed: TestBed
  let kubeconfig = ''
  beforeAll(async () => {
    bed = await TestBed.start(async () => {
      const server = await start()
      kubeconfig = server.kubeconfigPath
      const connection = connectionTo(server.url, server.caPem, server.adminToken)
      return { name: 'server', connection, stop: () => server.stop() }
    })
    await bed.startOperator()
  })
  afterAll(() => bed.stop())

  const kubectl = (team: Team, ...args: string[]) =>
    runTool(['kubectl', '1.36'], ['-n', team.namespace, ...args], { kubeconfig })

  test('waits for a target to be ready, and for its gates', async () => {
    const team = await bed.team('waiting', await bed.remote(), { resources: ['configmaps'] })
    for (const condition of ['Ready', 'SnapshotSynced', 'EventStreamLive', 'Bootstrapped']) {
      const answer = await kubectl(
        team,
        'wait',
        `--for=condition=${condition}=true`,
        'gittarget/mirror',
        '--timeout=240s',
      )
      expect(answer.stderr + answer.stdout).toBe(
        'gittarget.gitops.proompteng.ai/mirror condition met\n',
      )
    }
    expect(await team.commits()).toBeGreaterThan(0)
    const rule = await kubectl(team, 'wait', '--for=condition=Ready', 'wr/rule', '--timeout=240s')
    expect(rule.code).toBe(0)
  })

  test('does not report a target as ready that is not, and shows why', async () => {
    const team = await bed.team('stuck', await bed.remote(), {
      provider: { allowedBranches: ['other'] },
    })
    await team.until('Validated=False/BranchNotAllowed')
    const answer = await kubectl(
      team,
      'wait',
      '--for=condition=Ready=true',
      'gittarget/mirror',
      '--timeout=1s',
    )
    expect(answer.code).toBe(1)
    const { stdout } = await kubectl(team, 'get', 'gt', 'mirror')
    const [header = '', row = ''] = stdout.split('\n')
    expect(header.split(/\s{2,}/).slice(0, 6)).toEqual([
      'NAME',
      'READY',
      'REASON',
      'PHASE',
      'BRANCH',
      'PATH',
    ])
    expect(row.split(/\s{2,}/).slice(0, 6)).toEqual([
      'mirror',
      'False',
      'ValidationFailed',
      'BOOTSTRAPPING',
      'main',
      'cluster',
    ])
    const events = await kubectl(team, 'get', 'events', '-o', 'name')
    expect(events.stdout).toContain('event/mirror')
  })
})
