import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { parseConfig } from '@agents/config'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { controlPlane, controlPlaneRules } from '@agents/jangar'
import { kinds } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { find, problemsIn, render } from '../support/chart/render.ts'
import { containersOf, podOf, variablesOf } from '../support/chart/workload.ts'
import { lint } from './lint.ts'

const timeout = 60_000
const api = { enabled: true, tlsSecret: { name: 'api-certificate' } }

async function rendered(values: object): Promise<readonly RenderedObject[]> {
  const { objects, errors } = await render(values)
  expect(errors).toBe('')
  return objects
}

test('the control plane gets an API with its certificate, and a Service', { timeout }, async () => {
  const objects = await rendered({ api: { ...api, port: 9443 }, controllers: { enabled: true } })
  expect(lint(objects)).toEqual([])
  const deployment = find(objects, 'Deployment', 'agents')
  const config = parseConfig(controlPlane, variablesOf(deployment), controlPlaneRules)
  expect(config.api).toEqual({
    enabled: true,
    host: '0.0.0.0',
    port: 9443,
    certificateFile: '/etc/agents/api-tls/tls.crt',
    keyFile: '/etc/agents/api-tls/tls.key',
    plaintext: false,
  })
  const [container] = containersOf(deployment)
  expect(listAt(container, 'ports')).toContainEqual({
    name: 'api',
    containerPort: 9443,
    protocol: 'TCP',
  })
  expect(listAt(container, 'volumeMounts')).toContainEqual({
    name: 'api-tls',
    mountPath: '/etc/agents/api-tls',
    readOnly: true,
  })
  const volumes = listAt(at(podOf(deployment), 'spec'), 'volumes')
  expect(JSON.stringify(volumes)).toContain('api-certificate')
  expect(listAt(at(find(objects, 'Service', 'agents-api'), 'spec'), 'ports')).toMatchObject([
    { port: 9443, targetPort: 'api' },
  ])
  // Controllers serve nothing of it.
  const controllers = find(objects, 'Deployment', 'agents-controllers')
  expect(JSON.stringify(controllers)).not.toContain('api-tls')
  expect(
    Object.keys(variablesOf(controllers)).filter((name) => name.startsWith('JANGAR_API')),
  ).toEqual([])
})

/** Its account may see the objects of all kinds, to report their changes, and write none. */
const watchRules = Object.entries(
  Object.groupBy(
    [...kinds, ...mirrorKinds].filter(({ scope }) => scope === 'Namespaced'),
    ({ group }) => group,
  ),
)
  .map(([group, all = []]) => ({
    apiGroups: [group],
    resources: all.map(({ plural }) => plural).toSorted(),
    verbs: ['list', 'watch'],
  }))
  .toSorted((a, b) => orderOf(a).localeCompare(orderOf(b)))

/** Those of the mirror come last. */
function orderOf({ apiGroups: [group = ''] }: { readonly apiGroups: readonly string[] }): string {
  return group.startsWith('gitops.') ? `z${group}` : group
}

test('the control plane may watch the kinds of the platform and ask for reviews, and nothing else', {
  timeout,
}, async () => {
  const objects = await rendered({ api, controllers: { enabled: true } })
  const rules = objects
    .filter(({ kind, metadata }) => /Role$/.test(kind) && /^agents$|-reviews$/.test(metadata.name))
    .toSorted((a, b) => a.metadata.name.length - b.metadata.name.length)
    .flatMap((role) => listAt(role, 'rules'))
  expect(rules).toEqual([
    ...watchRules,
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['subjectaccessreviews'],
      verbs: ['create'],
    },
  ])
  const without = await rendered({ controllers: { enabled: true } })
  expect(JSON.stringify(without)).not.toContain('tokenreviews')
})

test('with webhooks, the control plane may also see sources and get Secrets', {
  timeout,
}, async () => {
  const controller = { webhook: { enabled: true } }
  const objects = await rendered({ api, controllers: { enabled: true }, controller })
  const rules = listAt(find(objects, 'Role', 'agents'), 'rules')
  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }
  expect(rules).toEqual([...watchRules.slice(0, -1), secrets, ...watchRules.slice(-1)])
  for (const name of ['agents', 'agents-controllers']) {
    const variables = variablesOf(find(objects, 'Deployment', name))
    expect(variables.JANGAR_WEBHOOKS_ENABLED).toBe('true')
  }
})

test('gRPC uses the certificate, and the archive is kept as long as the values say', {
  timeout,
}, async () => {
  const archive = { retention: '365d', retentionByNamespace: { 'team-a': '90d', 'team-b': '0' } }
  const objects = await rendered({ api, grpc: { tls: true }, archive })
  const variables = variablesOf(find(objects, 'Deployment', 'agents'))
  expect(variables).toMatchObject({
    JANGAR_GRPC_TLS: 'true',
    JANGAR_ARCHIVE_RETENTION: '365d',
    JANGAR_ARCHIVE_RETENTION_BY_NAMESPACE: '{"team-a":"90d","team-b":"0"}',
  })
  const day = 86_400_000
  const { archiveRetention, grpc } = parseConfig(controlPlane, variables, controlPlaneRules)
  expect(grpc.tls).toBe(true)
  expect(archiveRetention).toEqual({
    keptMs: 365 * day,
    byNamespace: { 'team-a': 90 * day, 'team-b': 0 },
  })
})

test('an Ingress and a route lead to the API, which they open to everybody, and not to the probes', {
  timeout,
}, async () => {
  const routes = {
    ingress: { enabled: true, hosts: [{ host: 'agents.example.com' }] },
    httpRoute: { enabled: true, parentRefs: [{ name: 'gateway' }] },
  }
  const backends = (objects: readonly RenderedObject[]) => {
    const [rule] = listAt(at(find(objects, 'Ingress', 'agents'), 'spec'), 'rules')
    const [path] = listAt(at(rule, 'http'), 'paths')
    const [route] = listAt(at(find(objects, 'HTTPRoute', 'agents'), 'spec'), 'rules')
    return [at(path, 'backend', 'service'), ...listAt(route, 'backendRefs')]
  }
  const published = (objects: readonly RenderedObject[]) => {
    const policy = find(objects, 'NetworkPolicy', 'agents')
    const rules = listAt(at(policy, 'spec'), 'ingress').filter((rule) => !at(rule, 'from'))
    return rules.flatMap((rule) => listAt(rule, 'ports'))
  }
  const served = await rendered({ api, ...routes })
  expect(backends(served)).toEqual([
    { name: 'agents-api', port: { name: 'api' } },
    { name: 'agents-api', port: 8443 },
  ])
  expect(published(served)).toEqual([{ port: 8443 }])
  const { ports } = at(find(served, 'Service', 'agents-api'), 'spec') as { ports: unknown }
  expect(ports).toMatchObject([{ name: 'api', appProtocol: 'https' }])
  const without = await rendered(routes)
  expect(backends(without)).toEqual([
    { name: 'agents', port: { name: 'http' } },
    { name: 'agents', port: 80 },
  ])
  expect(published(without)).toEqual([{ port: 8080 }])
})

test.each([
  {
    because: 'nobody chose between TLS and none',
    values: { api: { enabled: true } },
    says: 'api.enabled needs tlsSecret.name, a Secret of type kubernetes.io/tls; without TLS everybody on the way could act as a caller, which api.plaintext accepts [V40]',
  },
  {
    because: 'both were chosen',
    values: { api: { ...api, plaintext: true } },
    says: 'api.plaintext is true while api.tlsSecret.name is set: remove one of them [V40]',
  },
  {
    because: 'the port is that of the probes',
    values: { api: { ...api, port: 8080 } },
    says: 'api.port is also the HTTP port: choose another port [V18]',
  },
  {
    because: 'the port is that of gRPC',
    values: { api: { ...api, port: 50051 } },
    says: 'api.port is also grpc.port: choose another port [V18]',
  },
  {
    because: 'gRPC has no certificate',
    values: { grpc: { tls: true } },
    says: 'grpc.tls needs api.enabled and api.tlsSecret.name, whose certificate it uses [V40]',
  },
  {
    because: 'kubelets cannot probe gRPC with TLS',
    values: { api, grpc: { tls: true, probe: { enabled: true } } },
    says: 'grpc.probe.enabled is true while grpc.tls is, and kubelets probe gRPC only without TLS: pods would never be ready [V18]',
  },
  {
    because: 'a variable contradicts the values',
    values: { env: { vars: { JANGAR_API_PLAINTEXT: true } } },
    says: 'env.vars.JANGAR_API_PLAINTEXT is set by api: use its values instead [V40]',
  },
])('refused: $because', { timeout }, async ({ values, says }) => {
  const { errors } = await render(values)
  expect(problemsIn(errors)).toContain(says)
})
