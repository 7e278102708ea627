import { request } from 'node:https'
import { type ConfigMap, ConfigMapKind, type KubeClient } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AuditedCluster,
  startAuditedCluster,
} from '../../support/gittarget/audited-cluster.ts'
import { OperatorChild } from '../../support/gittarget/operator-child.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { connect, connectionTo } from '../../support/testbed/server.ts'

const unaudited = 'unaudited'
const groups = ['system:masters']
const push = { commitWindow: '4s', maxWindow: '20s' }
const mirror = 'GitTarget <gittarget@agents.invalid>'

describe('the author of a commit on a cluster that sends audit events', () => {
  let audited: AuditedCluster
  let bed: TestBed
  let operator: OperatorChild
  const clients: KubeClient[] = []
  let [developer, maintainer, releaser, bot] = [] as unknown as [
    KubeClient,
    KubeClient,
    KubeClient,
    KubeClient,
  ]

  beforeAll(async () => {
    audited = await startAuditedCluster({
      tokens: ['developer@example.test', 'maintainer'].map((user) => ({
        token: `token-${user}`,
        user,
        groups,
      })),
      unaudited,
    })
    const { cluster } = audited
    const connection = connectionTo(cluster.url, cluster.caPem, cluster.adminToken)
    bed = await TestBed.start(async () => ({
      name: 'audited',
      connection,
      stop: () => audited.stop(),
    }))
    operator = await OperatorChild.start(
      cluster.kubeconfigPath,
      bed.stateDir,
      audited.operatorSettings,
    )
    const as = (token: string): KubeClient =>
      connect(connectionTo(cluster.url, cluster.caPem, token))
    const impersonating = (user: string): KubeClient =>
      connect({ ...connection, impersonate: { user, groups } })
    developer = as('token-developer@example.test')
    maintainer = as('token-maintainer')
    releaser = impersonating('releaser')
    bot = impersonating('system:serviceaccount:authors:bot')
    clients.push(developer, maintainer, releaser, bot)
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await operator.end('SIGTERM')
    await bed.stop()
  })

  async function startTeam(namespace: string): Promise<Team> {
    const team = await bed.team(namespace, await bed.remote(), {
      provider: { push },
      resources: ['configmaps'],
    })
    await team.isReady()
    return team
  }

  async function apply(client: KubeClient, team: Team, name: string, data: Record<string, string>) {
    const metadata = { name, namespace: team.namespace }
    await client.apply<ConfigMap>(
      ConfigMapKind,
      { metadata, data },
      { fieldManager: 'kubectl', force: true },
    )
  }

  function contains(team: Team, name: string, value: string): Promise<void> {
    return team.untilFiles(
      (files) => files[team.path('configmaps', name)]?.includes(value) === true,
    )
  }

  /** `author: message` of each commit but the first, oldest first. */
  async function commits(team: Team): Promise<string[]> {
    const log = await team.remote.git('log', '--reverse', '--format=%an <%ae>: %s', 'main')
    return log.split('\n').slice(1)
  }

  // Each waits for the end of its own commit windows.
  test.concurrent('is the user of the request, whatever the field manager', async () => {
    const team = await startTeam('authors')
    await apply(developer, team, 'a', { value: 'one' })
    await apply(maintainer, team, 'b', { value: 'one' })
    await apply(releaser, team, 'c', { value: 'one' })
    await apply(bot, team, 'd', { value: 'one' })
    for (const name of ['a', 'b', 'c', 'd']) await contains(team, name, 'one')
    expect((await commits(team)).sort()).toEqual([
      'developer@example.test <developer@example.test>: Create authors/core/configmaps/a',
      'maintainer <maintainer@user.agents.invalid>: Create authors/core/configmaps/b',
      'releaser <releaser@user.agents.invalid>: Create authors/core/configmaps/c',
      'system:serviceaccount:authors:bot <system%3Aserviceaccount%3Aauthors%3Abot@user.agents.invalid>: Create authors/core/configmaps/d',
    ])
  })

  test.concurrent('is the user also where no field manager is recorded: removals and deletions', async () => {
    const team = await startTeam('removals')
    await apply(developer, team, 'a', { kept: 'x', gone: 'y' })
    await contains(team, 'a', 'gone')
    const metadata = { name: 'a', namespace: team.namespace }
    const body = [{ op: 'remove', path: '/data/gone' }] as const
    await maintainer.patch(ConfigMapKind, metadata, { type: 'json', body: [...body] })
    await team.untilFiles((files) => !files[team.path('configmaps', 'a')]?.includes('gone'))
    await releaser.delete(ConfigMapKind, metadata)
    await team.untilFiles((files) => !(team.path('configmaps', 'a') in files))
    expect((await commits(team)).map((line) => line.split(' ')[0])).toEqual([
      'developer@example.test',
      'maintainer',
      'releaser',
    ])
  })

  test.concurrent('is not who wrote something that changed nothing, or was refused', async () => {
    const team = await startTeam('idle')
    await apply(developer, team, 'a', { value: 'one' })
    await contains(team, 'a', 'one')
    const metadata = { name: 'a', namespace: team.namespace }
    const change = { type: 'merge', body: { data: { value: 'two' } } } as const
    await maintainer.patch(ConfigMapKind, metadata, change, { dryRun: true })
    await developer.patch(ConfigMapKind, metadata, change)
    await releaser.patch(ConfigMapKind, metadata, change, { fieldManager: 'another' })
    await expect(maintainer.create(ConfigMapKind, { metadata })).rejects.toThrow('already exists')
    await contains(team, 'a', 'two')
    expect((await commits(team)).map((line) => line.split(' ')[0])).toEqual([
      'developer@example.test',
      'developer@example.test',
    ])
  })

  describe('without audit events', () => {
    let team: Team
    beforeAll(async () => {
      team = await startTeam(unaudited)
    })

    /** What the audit webhook answers to an event that says that forged wrote the ConfigMap. */
    async function forge(name: string, authorization: string): Promise<number | undefined> {
      const { url, caPem } = audited.webhook
      const at = (shiftMs: number): string => new Date(Date.now() + shiftMs).toISOString()
      const event = {
        stage: 'ResponseComplete',
        verb: 'patch',
        requestURI: `/api/v1/namespaces/${unaudited}/configmaps/${name}?fieldManager=kubectl`,
        user: { username: 'forged\nauthor <forged@example.org>' },
        objectRef: { resource: 'configmaps', namespace: unaudited, name },
        responseStatus: { code: 200 },
        requestReceivedTimestamp: at(-10_000),
        stageTimestamp: at(10_000),
      }
      const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [event] }
      return new Promise((resolve, reject) => {
        const sent = request(url, {
          method: 'POST',
          ca: caPem,
          agent: false,
          headers: { authorization, 'content-type': 'application/json' },
        })
        sent.once('error', reject)
        sent.once('response', (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        sent.end(JSON.stringify(list))
      })
    }

    test('is the field manager, and cannot be forged without the token', async () => {
      await apply(developer, team, 'a', { value: 'one' })
      expect(await forge('a', 'Bearer guessed-token-of-the-webhook')).toBe(401)
      expect(await forge('a', '')).toBe(401)
      await contains(team, 'a', 'one')
      expect(await commits(team)).toEqual([
        'kubectl (field manager) <kubectl@manager.agents.invalid>: Create unaudited/core/configmaps/a',
      ])
    })

    test('is a clean name, whatever an event with the token says', async () => {
      await apply(developer, team, 'b', { value: 'one' })
      expect(await forge('b', `Bearer ${audited.webhook.token}`)).toBe(200)
      await contains(team, 'b', 'one')
      const text = await team.remote.git('cat-file', 'commit', 'main')
      expect(text).toMatch(
        /^author forged author forged@example\.org <forged%0A[^<>@ ]+@user\.agents\.invalid> \d+ \+0000$/m,
      )
      expect(text.split('\n').filter((line) => /^(author|committer) /.test(line))).toHaveLength(2)
      expect(text).toContain(`\ncommitter ${mirror} `)
    })
  })

  test('the token is not in the log of the operator', () => {
    expect(operator.log).toContain('audit webhook listening')
    expect(operator.log).not.toContain(audited.webhook.token)
  })
})
