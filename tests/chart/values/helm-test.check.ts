import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { find, render, valuesFile } from '../../support/chart/render.ts'
import { annotationsOf, containersOf, labelsOf } from '../../support/chart/workload.ts'
import { compileCacheVariable } from '../../support/testbed/compile-cache.ts'

const timeout = 60_000
const root = join(import.meta.dirname, '../../..')
const digest = `sha256:${'a'.repeat(64)}`

function argsOf(pod: RenderedObject) {
  return listAt(containersOf(pod)[0], 'args').map(String)
}

function testPods(objects: readonly RenderedObject[]) {
  return objects.filter(({ kind }) => kind === 'Pod')
}

describe('the checks of the "helm test" pods', () => {
  test('cover everything behind a Service, and the definitions', { timeout }, async () => {
    const { objects } = await render(valuesFile('values-ci.yaml'))
    expect(argsOf(find(objects, 'Pod', 'agents-test'))).toEqual([
      '--timeout=60s',
      '--http=http://agents.agents.svc:80/readyz',
      '--http=http://agents-controllers.agents.svc:8080/readyz',
      '--http=http://agents-gittarget-metrics.agents.svc:9090/readyz',
      '--grpc=agents-grpc.agents.svc:50051',
      '--crds',
    ])
    for (const pod of testPods(objects)) {
      expect(annotationsOf(pod)).toEqual({
        'helm.sh/hook': 'test',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      })
      expect(labelsOf(pod)['app.kubernetes.io/component']).toBe('test')
    }
  })

  test('cover the HTTP API and gRPC with their certificate', { timeout }, async () => {
    const api = { enabled: true, port: 9443, tlsSecret: { name: 'api-certificate' } }
    const tests = { enabled: true, rbac: false, crds: false }
    const rendered = await render({ api, grpc: { tls: true }, tests })
    const pod = find(rendered.objects, 'Pod', 'agents-test')
    expect(argsOf(pod)).toEqual([
      '--timeout=60s',
      '--http=http://agents.agents.svc:80/readyz',
      '--http=https://agents-api.agents.svc:9443/readyz',
      '--certificate=/etc/agents/api-tls/tls.crt',
      '--grpc=https://agents-grpc.agents.svc:50051',
    ])
    // Never the key.
    expect(listAt(pod, 'spec', 'volumes').slice(1)).toEqual([
      {
        name: 'api-tls',
        secret: { secretName: 'api-certificate', items: [{ key: 'tls.crt', path: 'tls.crt' }] },
      },
    ])
    const without = await render({
      ...{ api, tests: { ...tests, api: false, grpc: false } },
      networkPolicy: { enabled: true },
    })
    const reduced = find(without.objects, 'Pod', 'agents-test')
    expect(argsOf(reduced)).toEqual(['--timeout=60s', '--http=http://agents.agents.svc:80/readyz'])
    expect(listAt(reduced, 'spec', 'volumes')).toHaveLength(1)
    const plain = await render({ api: { enabled: true, plaintext: true }, tests })
    expect(argsOf(find(plain.objects, 'Pod', 'agents-test'))).toContain(
      '--http=http://agents-api.agents.svc:8443/readyz',
    )
  })

  test('can be reduced', { timeout }, async () => {
    const { objects } = await render({
      controllers: { enabled: true, readinessProbe: { path: '/healthz' } },
      service: { port: 8080 },
      tests: { enabled: true, timeoutSeconds: 7, grpc: false, rbac: false, crds: false },
    })
    expect(testPods(objects).map(({ metadata }) => metadata.name)).toEqual(['agents-test'])
    expect(argsOf(find(objects, 'Pod', 'agents-test'))).toEqual([
      '--timeout=7s',
      '--http=http://agents.agents.svc:8080/readyz',
      '--http=http://agents-controllers-metrics.agents.svc:9090/healthz',
    ])
    const roles = objects.filter(({ kind }) => kind === 'ClusterRole')
    expect(roles.map(({ metadata }) => metadata.name)).not.toContain('agents-agents-test')
  })

  test('are allowed by the network policies', { timeout }, async () => {
    const peer = { namespaceSelector: { matchLabels: { team: 'a' } } }
    const { objects } = await render({
      api: { enabled: true, tlsSecret: { name: 'api-certificate' } },
      controllers: { enabled: true },
      networkPolicy: { enabled: true, allowFrom: [peer], metricsFrom: [peer] },
      tests: { enabled: true },
    })
    const pod = labelsOf(find(objects, 'Pod', 'agents-test'))
    const ports = (policy: string) =>
      listAt(find(objects, 'NetworkPolicy', policy), 'spec', 'ingress')
        .filter((rule) =>
          listAt(rule, 'from').some((from) => {
            const wanted = at(from, 'podSelector', 'matchLabels') as Record<string, string>
            return Object.entries(wanted ?? { none: '' }).every(
              ([key, value]) => pod[key] === value,
            )
          }),
        )
        .flatMap((rule) => listAt(rule, 'ports').map((port) => at(port, 'port')))
    expect(ports('agents')).toEqual([8080, 50051, 8443])
    expect(ports('agents-controllers')).toEqual([8080])
  })
})

describe('the permissions that are checked', () => {
  const one = (rule: unknown, place: unknown) =>
    listAt(rule, 'apiGroups').flatMap((group) =>
      listAt(rule, 'resources').flatMap((resource) =>
        listAt(rule, 'verbs').flatMap((verb) =>
          [...listAt(rule, 'resourceNames'), ...(at(rule, 'resourceNames') ? [] : [''])].map(
            (name) => `${verb} ${resource}.${group} ${name} in ${place ?? 'all namespaces'}`,
          ),
        ),
      ),
    )

  /** All permissions that are bound to the account. */
  function granted(objects: readonly RenderedObject[], account: unknown): readonly string[] {
    const bindings = objects.filter(
      (object) =>
        object.kind.endsWith('RoleBinding') &&
        listAt(object, 'subjects').some((subject) => at(subject, 'name') === account),
    )
    return bindings.flatMap((binding) => {
      const { namespace } = binding.metadata
      const role = objects.find(
        (object) =>
          object.kind === at(binding, 'roleRef', 'kind') &&
          object.metadata.name === at(binding, 'roleRef', 'name') &&
          object.metadata.namespace === namespace,
      )
      return listAt(role, 'rules').flatMap((rule) => one(rule, namespace))
    })
  }

  const asked = (pod: RenderedObject) => {
    const rules = argsOf(pod).find((arg) => arg.startsWith('--rules='))
    const grants: unknown = JSON.parse(rules?.slice('--rules='.length) ?? '')
    return (Array.isArray(grants) ? grants : []).flatMap((grant) =>
      listAt(grant, 'rules').flatMap((rule) => one(rule, at(grant, 'namespace'))),
    )
  }

  test.each<{ because: string; values: Record<string, unknown>; accounts: readonly string[] }>([
    { because: 'one does everything', values: {}, accounts: ['agents-sa'] },
    {
      because: 'everything is enabled',
      values: valuesFile('ci/everything-values.yaml'),
      accounts: ['agents-sa', 'agents-controllers', 'agents-gittarget'],
    },
    {
      because: 'the permissions are cluster-wide',
      values: valuesFile('ci/cluster-values.yaml'),
      accounts: ['agents-sa', 'agents-controllers', 'agents-gittarget'],
    },
    {
      because: 'there are several namespaces',
      values: valuesFile('ci/multi-namespace-values.yaml'),
      accounts: ['agents-sa', 'agents-controllers'],
    },
    {
      because: 'processes exit when their configuration changes',
      values: {
        configReload: { mode: 'exit' },
        rolloutChecksums: { secrets: ['token'], configMaps: ['flags'] },
        terminationGracePeriodSeconds: 90,
      },
      accounts: ['agents-sa'],
    },
  ])('are those of the Roles when $because', { timeout }, async ({ values, accounts }) => {
    const { objects, errors } = await render({ ...values, tests: { enabled: true } })
    expect(errors).toBe('')
    const pods = testPods(objects).filter(({ metadata }) => metadata.name.endsWith('-test-rbac'))
    expect(pods.map((pod) => at(pod, 'spec', 'serviceAccountName'))).toEqual(accounts)
    for (const pod of pods) {
      const wanted = [...new Set(granted(objects, at(pod, 'spec', 'serviceAccountName')))].sort()
      expect(wanted.length).toBeGreaterThan(0)
      expect([...new Set(asked(pod))].sort()).toEqual(wanted)
    }
  })

  test('are also checked if the Roles are created separately', { timeout }, async () => {
    const values = { rbac: { create: false }, tests: { enabled: true } }
    const [own, foreign] = await Promise.all([render({ tests: { enabled: true } }), render(values)])
    const pod = (objects: readonly RenderedObject[]) => find(objects, 'Pod', 'agents-test-rbac')
    expect(asked(pod(foreign.objects))).toEqual(asked(pod(own.objects)))
    expect(foreign.objects.filter(({ kind }) => kind.includes('Role'))).toEqual([])
  })
})

describe('the image of the test pods', () => {
  test('is pulled with their own pull Secrets too, whichever image it is', {
    timeout,
  }, async () => {
    const { objects, errors } = await render({
      controlPlane: { image: { pullSecrets: ['plane'] } },
      tests: { enabled: true, image: { pullSecrets: ['own', { name: 'plane' }] } },
    })
    expect(errors).toBe('')
    const names = [{ name: 'plane' }, { name: 'own' }]
    for (const pod of testPods(objects)) {
      expect(at(pod, 'spec', 'imagePullSecrets')).toEqual(names)
    }
    expect(testPods(objects).length).toBeGreaterThan(0)
  })

  test.each([
    { because: 'none is named', own: {}, is: 'example.com/plane:2' },
    { because: 'another tag is named', own: { tag: '3' }, is: 'example.com/agents:3' },
    {
      because: 'another image is named',
      own: { repository: 'example.com/test', digest },
      is: `example.com/test:${valuesFile('Chart.yaml').appVersion}@${digest}`,
    },
  ])('is $is when $because', { timeout }, async ({ own, is }) => {
    const { objects } = await render({
      image: { repository: 'example.com/agents', tag: '1' },
      controlPlane: { image: { repository: 'example.com/plane', tag: '2' } },
      tests: { enabled: true, image: own },
    })
    const images = testPods(objects).map((pod) => at(containersOf(pod)[0], 'image'))
    expect(new Set(images)).toEqual(new Set([is]))
  })
})

describe('the command of the test pods', () => {
  const server = createServer((request, response) => {
    const isReady = request.url === '/readyz'
    response.writeHead(isReady ? 200 : 500)
    response.end(isReady ? 'ok' : '[-]database failed: reason withheld\nreadyz check failed\n')
  })
  let address: string

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterAll(() => new Promise((resolve) => server.close(resolve)))

  /** Runs the command against another address than that of the Service. */
  async function run(path: string): Promise<readonly [code: number | null, output: string]> {
    const { objects } = await render({
      readinessProbe: { path },
      tests: { enabled: true, timeoutSeconds: 1, grpc: false, crds: false },
    })
    const pod = find(objects, 'Pod', 'agents-test')
    const [, ...command] = listAt(containersOf(pod)[0], 'command').map(String)
    const args = argsOf(pod).map((arg) => arg.replace('agents.agents.svc:80', address))
    const child = spawn(process.execPath, [...command, ...args], {
      cwd: root,
      env: { PATH: '/usr/bin:/bin', ...compileCacheVariable() },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    return new Promise((resolve) => child.once('close', (code) => resolve([code, output])))
  }

  test('succeeds if everything is ready', { timeout }, async () => {
    expect(await run('/readyz')).toEqual([0, `ok     http  http://${address}/readyz is ready\n`])
  })

  test('fails if something is not ready, and suggests a fix', { timeout }, async () => {
    const [code, output] = await run('/livez')
    expect(code).toBe(1)
    expect(output).toMatch(
      /^bad {4}http {2}http:\/\/\S+\/livez: not ready \(database\)\. The log .*\n$/,
    )
  })
})
