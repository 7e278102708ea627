import { createServer } from 'node:net'
import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { kinds } from '@agents/jangar-api'
import {
  bearer,
  CustomResourceDefinitionKind,
  createKubeClient,
  LeaseKind,
  SecretKind,
  staticCredentials,
  systemEffects,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runControllers } from './run-controllers.ts'

describe('the controllers process', () => {
  test.each([
    {
      because: 'controllers never migrate',
      environment: { JANGAR_MIGRATIONS: 'auto' },
      message: ['JANGAR_MIGRATIONS is "auto"', 'set it to skip'],
    },
    {
      because: 'the renew deadline must be shorter than the lease duration',
      environment: { JANGAR_LEADER_ELECTION_RENEW_DEADLINE_SECONDS: '20' },
      message: ['JANGAR_LEADER_ELECTION_RENEW_DEADLINE_SECONDS', 'leaseDurationSeconds'],
    },
  ])('exits with EX_CONFIG and advice: $because', async ({ environment, message }) => {
    const printed: string[] = []
    const code = await runControllers(
      effects(environment, { errors: (text) => printed.push(text) }),
    )
    expect(code).toBe(78)
    for (const words of message) expect(printed.join('')).toContain(words)
  })

  test('exits if there is no cluster configuration, and names the path', async () => {
    const printed: string[] = []
    const environment = { KUBECONFIG: '/nowhere/at/all' }
    const code = await runControllers(
      effects(environment, { errors: (text) => printed.push(text) }),
    )
    expect(code).toBe(1)
    expect(printed.join('')).toContain('/nowhere/at/all')
  })

  test('starts before its kinds are installed, reports them, and continues once they are', {
    timeout: 240_000,
  }, async () => {
    const server = await startApiServer({ logger: silent })
    onTestFinished(() => server.stop())
    const client = clientOf(server)
    const lines: string[] = []
    const stop = new AbortController()
    let listening = (_port: number): void => undefined
    const port = new Promise<number>((resolve) => {
      listening = resolve
    })
    const code = runControllers({
      ...effects(
        { KUBECONFIG: 'kubeconfig', PORT: `${await freePort()}`, JANGAR_HTTP_HOST: '127.0.0.1' },
        { output: (line) => lines.push(line) },
      ),
      readFile: async () => kubeconfig(server),
      stop: stop.signal,
      onListening: listening,
    })
    const ask = async (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${await port}${path}`)
    expect((await ask('/healthz')).status).toBe(200)
    const unready = await ask('/readyz')
    expect(unready.status).toBe(500)
    expect(await unready.text()).toContain('[-]caches failed')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ migrations: 'skip', namespaces: ['agents'] })
    await until(() => lines.some((line) => line.includes('agentruns.agents.proompteng.ai')))
    for (const kind of kinds) {
      await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
    }
    await until(async () => (await ask('/readyz')).status === 200)
    await until(async () => {
      const { items } = await client.list(LeaseKind, { namespace: 'default' })
      return items.some(({ spec }) => spec?.holderIdentity === 'one')
    })
    const metrics = await (await ask('/metrics')).text()
    expect(metrics).toContain('controller_runtime_reconcile_total{controller="agentrun"')
    expect(metrics).toContain('leader_election_master_status{name="agents-controller-leader"} 1')
    stop.abort()
    expect(await code).toBe(0)
    const { items } = await client.list(LeaseKind, { namespace: 'default' })
    expect(items.map(({ spec }) => spec?.holderIdentity ?? '')).toEqual([''])
  })

  test('exits with 0 when a Secret behind its variables changes, and releases its Lease', {
    timeout: 240_000,
  }, async () => {
    const server = await startApiServer({ logger: silent })
    onTestFinished(() => server.stop())
    const client = clientOf(server)
    for (const kind of kinds) {
      await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
    }
    const secret = { metadata: { name: 'token', namespace: 'default' }, stringData: { a: '1' } }
    await client.create(SecretKind, secret)
    const lines: string[] = []
    const code = runControllers({
      ...effects(
        {
          KUBECONFIG: 'kubeconfig',
          PORT: `${await freePort()}`,
          JANGAR_HTTP_HOST: '127.0.0.1',
          JANGAR_CONFIG_RELOAD_MODE: 'exit',
          JANGAR_CONFIG_RELOAD_JITTER_SECONDS: '0',
          JANGAR_CONFIG_RELOAD_SECRETS: '[{"name":"token","keys":["a"]},"missing"]',
        },
        { output: (line) => lines.push(line) },
      ),
      readFile: async () => kubeconfig(server),
    })
    const holder = async () => {
      const { items } = await client.list(LeaseKind, { namespace: 'default' })
      return items[0]?.spec?.holderIdentity
    }
    await until(async () => (await holder()) === 'one')
    let ended = false
    void code.then(() => {
      ended = true
    })
    // The first state that the process observes is its baseline.
    for (let value = 2; !ended; value++) {
      const body = { stringData: { a: `${value}` } }
      await client.patch(SecretKind, secret.metadata, { type: 'merge', body })
    }
    expect(await code).toBe(0)
    expect((await holder()) ?? '').toBe('')
    expect(lines.filter((line) => line.includes('configuration changed'))).toHaveLength(1)
  })
})

function clientOf(server: { url: string; caCertificate: string; adminToken: string }) {
  const client = createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  onTestFinished(() => client.close())
  return client
}

const silent = silentLogger

function effects(
  environment: Readonly<Record<string, string>>,
  to: { errors?: (text: string) => void; output?: (line: string) => void },
) {
  return {
    ...systemEffects(environment),
    output: { write: (line: string) => to.output?.(line) },
    errors: { write: (text: string) => to.errors?.(text) },
    identity: 'one',
    stop: new AbortController().signal,
  }
}

function kubeconfig(server: { url: string; caCertificate: string; adminToken: string }): string {
  const authority = Buffer.from(server.caCertificate).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    clusters: [
      { name: 'it', cluster: { server: server.url, 'certificate-authority-data': authority } },
    ],
    users: [{ name: 'it', user: { token: server.adminToken } }],
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 30))
}
