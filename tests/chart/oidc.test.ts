import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { parseConfig } from '@agents/config'
import { controlPlane, controlPlaneRules } from '@agents/jangar'
import { expect, test } from 'vitest'
import { find, problemsIn, render } from '../support/chart/render.ts'
import { containersOf, podOf, variablesOf } from '../support/chart/workload.ts'
import { lint } from './lint.ts'

const timeout = 60_000
const oidc = {
  issuerUrl: 'https://accounts.example.com:8443',
  clientId: 'agents',
  clientSecret: { name: 'console-client' },
  publicUrl: 'https://agents.example.com',
  groups: ['oidc:operators', 'oidc:readers'],
}
const api = { enabled: true, tlsSecret: { name: 'api-certificate' }, oidc }
const database = { secretRef: { name: 'database' } }
const controllers = { enabled: true }

async function rendered(values: object): Promise<readonly RenderedObject[]> {
  const { objects, errors } = await render(values)
  expect(errors).toBe('')
  return objects
}

test('the control plane gets the settings, and the secret by reference', { timeout }, async () => {
  const caSecret = { name: 'provider-ca', key: 'root.pem' }
  const objects = await rendered({
    api: { ...api, oidc: { ...oidc, caSecret } },
    database,
    controllers,
  })
  expect(lint(objects)).toEqual([])
  const deployment = find(objects, 'Deployment', 'agents')
  const [container] = containersOf(deployment)
  expect(listAt(container, 'env')).toContainEqual({
    name: 'JANGAR_OIDC_CLIENT_SECRET',
    valueFrom: { secretKeyRef: { name: 'console-client', key: 'clientSecret' } },
  })
  const secrets = { DATABASE_URL: 'postgres://x', JANGAR_OIDC_CLIENT_SECRET: 'x' }
  const variables: Record<string, string | undefined> = { ...variablesOf(deployment), ...secrets }
  expect(parseConfig(controlPlane, variables, controlPlaneRules).oidc).toEqual({
    ...{ issuerUrl: oidc.issuerUrl, clientId: 'agents', clientSecret: 'x' },
    ...{ publicUrl: oidc.publicUrl, groups: oidc.groups, scopes: [] },
    ...{ usernameClaim: 'sub', usernamePrefix: 'oidc:' },
    ...{ groupsClaim: 'groups', groupsPrefix: 'oidc:', caFile: '/etc/agents/oidc-ca/root.pem' },
  })
  expect(JSON.stringify(listAt(at(podOf(deployment), 'spec'), 'volumes'))).toContain('provider-ca')
  expect(variables.JANGAR_AGENTS_CONTROLLER_PLATFORM_SECRETS).toContain('console-client')
  const other = find(objects, 'Deployment', 'agents-controllers')
  expect(JSON.stringify(other)).not.toMatch(/JANGAR_OIDC|provider-ca/)
  expect(variablesOf(other).JANGAR_AGENTS_CONTROLLER_PLATFORM_SECRETS).toContain('console-client')
})

test('the right to impersonate is rendered with it alone, for the listed groups', {
  timeout,
}, async () => {
  const objects = await rendered({ api, database, controllers })
  const role = objects.find(({ metadata }) => metadata.name.endsWith('-impersonation'))
  expect(listAt(role, 'rules')).toEqual([
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
    {
      ...{ apiGroups: [''], resources: ['groups'], verbs: ['impersonate'] },
      resourceNames: oidc.groups,
    },
  ])
  const binding = objects.find(
    ({ kind, metadata }) =>
      kind === 'ClusterRoleBinding' && metadata.name.endsWith('-impersonation'),
  )
  expect(listAt(binding, 'subjects')).toMatchObject([{ name: 'agents-sa' }])
  const ungrouped = await rendered({ api: { ...api, oidc: { ...oidc, groups: [] } }, database })
  const users = ungrouped.find(({ metadata }) => metadata.name.endsWith('-impersonation'))
  expect(JSON.stringify(listAt(users, 'rules'))).not.toContain('groups')
  const without = await rendered({ api: { ...api, oidc: {} }, database, controllers })
  expect(JSON.stringify(without)).not.toMatch(/impersonat|JANGAR_OIDC/)
})

test('the control plane may reach the provider', { timeout }, async () => {
  const networkPolicy = { policyTypes: ['Ingress', 'Egress'] }
  const objects = await rendered({ api, database, controllers, networkPolicy })
  const policy = objects.find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'agents',
  )
  expect(listAt(at(policy, 'spec'), 'egress')).toContainEqual({ ports: [{ port: 8443 }] })
})

test.each([
  {
    because: 'there is no API',
    values: { api: { oidc }, database },
    says: 'api.oidc.issuerUrl is set, but api.enabled is false: people sign in to the HTTP API [V42]',
  },
  {
    because: 'the client has no secret',
    values: { api: { ...api, oidc: { ...oidc, clientSecret: { name: '' } } }, database },
    says: 'api.oidc.issuerUrl is set, but api.oidc.clientSecret.name is empty [V42]',
  },
  {
    because: 'browsers have no address',
    values: { api: { ...api, oidc: { ...oidc, publicUrl: '' } }, database },
    says: 'api.oidc.issuerUrl is set, but api.oidc.publicUrl is empty [V42]',
  },
  {
    because: 'the address has a path',
    values: {
      api: { ...api, oidc: { ...oidc, publicUrl: 'https://agents.example.com/' } },
      database,
    },
    says: 'api.oidc.publicUrl is not an address such as https://agents.example.com, without a path [V42]',
  },
  {
    because: 'the provider has no TLS',
    values: {
      api: { ...api, oidc: { ...oidc, issuerUrl: 'http://accounts.example.com' } },
      database,
    },
    says: 'api.oidc.issuerUrl is not an address such as https://accounts.example.com [V42]',
  },
  {
    because: 'there is no database',
    values: { api },
    says: 'api.oidc.issuerUrl is set, but there is no database, which keeps the sessions: set database [V42]',
  },
  {
    because: 'people would be masters',
    values: { api: { ...api, oidc: { ...oidc, groups: ['system:masters'] } }, database },
    says: 'api.oidc.groups has "system:masters": nobody who signs in can be in a group of Kubernetes itself [V42]',
  },
  {
    because: 'the prefix is that of Kubernetes itself',
    values: { api: { ...api, oidc: { ...oidc, usernamePrefix: 'system:' } }, database },
    says: 'api.oidc.usernamePrefix starts with system:, as names of Kubernetes itself do: choose another prefix [V42]',
  },
  {
    because: 'a variable contradicts the values',
    values: { env: { vars: { JANGAR_OIDC_GROUPS: 'system:masters' } } },
    says: 'env.vars.JANGAR_OIDC_GROUPS is set by api.oidc: use its values instead [V42]',
  },
])('refused: $because', { timeout }, async ({ values, says }) => {
  const { errors } = await render(values)
  expect(problemsIn(errors)).toContain(says)
})
