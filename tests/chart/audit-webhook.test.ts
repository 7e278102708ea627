import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { findUnknown, parseConfig } from '@agents/config'
import { operator, operatorRules } from '@agents/gittarget'
import { expect, test } from 'vitest'
import { find, problemsIn, render } from '../support/chart/render.ts'
import { containersOf, podOf, variablesOf } from '../support/chart/workload.ts'
import { lint } from './lint.ts'

const timeout = 60_000

const auditWebhook = {
  enabled: true,
  port: 9443,
  tlsSecret: { name: 'audit-certificate' },
  tokenSecret: { name: 'audit-token' },
  clientCaSecret: { name: 'audit-clients', key: 'authority.pem' },
  service: { clusterIP: '10.96.0.40', annotations: { owner: 'platform' } },
}

async function rendered(settings: object, values: object = {}): Promise<readonly RenderedObject[]> {
  const { objects, errors } = await render({
    gitTargetController: { enabled: true, auditWebhook: settings },
    ...values,
  })
  expect(errors).toBe('')
  return objects
}

test('the operator gets an audit webhook with mounted Secrets, and a Service', {
  timeout,
}, async () => {
  const objects = await rendered(auditWebhook)
  expect(lint(objects)).toEqual([])
  const deployment = find(objects, 'Deployment', 'agents-gittarget')
  const env = variablesOf(deployment)
  const config = parseConfig(operator, env, operatorRules)
  expect(config.auditWebhook).toEqual({
    enabled: true,
    host: undefined,
    port: 9443,
    certificateFile: '/etc/gittarget/audit-tls/tls.crt',
    keyFile: '/etc/gittarget/audit-tls/tls.key',
    tokenFile: '/etc/gittarget/audit-token/token',
    clientAuthorityFile: '/etc/gittarget/audit-client-ca/authority.pem',
  })
  expect(findUnknown({ operator }, env, 'GITTARGET_')).toEqual([])
  const [container] = containersOf(deployment)
  expect(listAt(container, 'ports')).toContainEqual({
    name: 'audit',
    containerPort: 9443,
    protocol: 'TCP',
  })
  const mounts = listAt(container, 'volumeMounts').filter((mount) => at(mount, 'readOnly') === true)
  expect(mounts.map((mount) => [at(mount, 'name'), at(mount, 'mountPath')])).toEqual([
    ['audit-tls', '/etc/gittarget/audit-tls'],
    ['audit-token', '/etc/gittarget/audit-token'],
    ['audit-client-ca', '/etc/gittarget/audit-client-ca'],
  ])
  const volumes = listAt(at(podOf(deployment), 'spec'), 'volumes')
  // Of each Secret only the keys that are needed are mounted.
  expect(volumes.flatMap((volume) => at(volume, 'secret') ?? [])).toEqual([
    {
      secretName: 'audit-certificate',
      items: [
        { key: 'tls.crt', path: 'tls.crt' },
        { key: 'tls.key', path: 'tls.key' },
      ],
    },
    { secretName: 'audit-token', items: [{ key: 'token', path: 'token' }] },
    {
      secretName: 'audit-clients',
      items: [{ key: 'authority.pem', path: 'authority.pem' }],
    },
  ])
  const service = find(objects, 'Service', 'agents-gittarget-audit')
  expect(service.metadata).toMatchObject({ annotations: { owner: 'platform' } })
  expect(at(service, 'spec')).toMatchObject({
    type: 'ClusterIP',
    clusterIP: '10.96.0.40',
    ports: [{ name: 'audit', port: 9443, targetPort: 'audit' }],
  })
})

test('without the audit webhook nothing of it is rendered', { timeout }, async () => {
  const objects = await rendered({})
  expect(JSON.stringify(objects)).not.toMatch(/agents-gittarget-audit|AUDIT_WEBHOOK|audit-tls/)
})

test('runs may not use the Secrets of the audit webhook', { timeout }, async () => {
  const plane = find(await rendered(auditWebhook), 'Deployment', 'agents')
  const names = JSON.parse(variablesOf(plane).JANGAR_AGENTS_CONTROLLER_PLATFORM_SECRETS ?? '[]')
  expect(names).toEqual(expect.arrayContaining(['audit-certificate', 'audit-token']))
})

test.each<{ because: string; values: object; settings: object; from: unknown }>([
  {
    because: 'the addresses of API servers are not known, and each request is authenticated',
    values: {},
    settings: {},
    from: undefined,
  },
  {
    because: 'the addresses of API servers are known',
    values: { networkPolicy: { apiServer: { cidrs: ['10.1.0.0/28'] } } },
    settings: {},
    from: [{ ipBlock: { cidr: '10.1.0.0/28' } }],
  },
  {
    because: 'somebody says who may connect',
    values: { networkPolicy: { apiServer: { cidrs: ['10.1.0.0/28'] } } },
    settings: { allowFrom: [{ ipBlock: { cidr: '10.2.0.0/28' } }] },
    from: [{ ipBlock: { cidr: '10.2.0.0/28' } }],
  },
])(
  'the NetworkPolicy opens the port where $because',
  {
    timeout,
  },
  async ({ values, settings, from }) => {
    const objects = await rendered({ ...auditWebhook, ...settings }, values)
    const policy = find(objects, 'NetworkPolicy', 'agents-gittarget')
    const rules = listAt(at(policy, 'spec'), 'ingress').filter((rule) =>
      listAt(rule, 'ports').some((port) => at(port, 'port') === 9443),
    )
    expect(rules).toEqual([{ ports: [{ port: 9443 }], ...(from !== undefined && { from }) }])
    const others = objects.filter(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name !== 'agents-gittarget',
    )
    expect(JSON.stringify(others)).not.toContain('9443')
  },
)

test.each<{ because: string; gitTarget: object; says: readonly string[] }>([
  {
    because: 'everybody could name authors, over an unprotected connection',
    gitTarget: { auditWebhook: { enabled: true } },
    says: [
      'gitTargetController.auditWebhook.enabled needs tlsSecret.name, a Secret of type kubernetes.io/tls [V39]',
      'gitTargetController.auditWebhook.enabled needs tokenSecret.name or clientCaSecret.name, or everybody could name authors [V39]',
    ],
  },
  {
    because: 'two servers cannot listen on one port',
    gitTarget: { auditWebhook: { ...auditWebhook, port: 8080 } },
    says: [
      'gitTargetController.auditWebhook.port is also the HTTP port: choose another port [V18]',
    ],
  },
  {
    because: 'the Service would have another port than the process',
    gitTarget: { auditWebhook, env: { vars: { GITTARGET_AUDIT_WEBHOOK_PORT: 1 } } },
    says: [
      'gitTargetController.env.vars.GITTARGET_AUDIT_WEBHOOK_PORT is set by gitTargetController.auditWebhook: use its values instead [V39]',
    ],
  },
  {
    because: 'a variable enables what the values leave off',
    gitTarget: {
      env: {
        vars: {
          GITTARGET_AUDIT_WEBHOOK_ENABLED: 'true',
          GITTARGET_AUDIT_WEBHOOK_HOST: '127.0.0.1',
        },
      },
    },
    says: [
      'gitTargetController.env.vars.GITTARGET_AUDIT_WEBHOOK_ENABLED is set by gitTargetController.auditWebhook: use its values instead [V39]',
    ],
  },
])('the chart refuses an audit webhook if $because', { timeout }, async ({ gitTarget, says }) => {
  const values = { gitTargetController: { enabled: true, ...gitTarget } }
  const { code, errors } = await render(values)
  expect(code).not.toBe(0)
  expect(problemsIn(errors)).toEqual(says)
})
