import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { parseConfig } from '@agents/config'
import { controllers, controllersRules, controlPlane, controlPlaneRules } from '@agents/jangar'
import { expect, test } from 'vitest'
import { find, problemsIn, render } from '../support/chart/render.ts'
import { containersOf, podOf, variablesOf } from '../support/chart/workload.ts'
import { lint } from './lint.ts'

const timeout = 60_000
const api = { enabled: true, tlsSecret: { name: 'api-certificate' } }
const split = { controllers: { enabled: true } }
const file = { store: 'file', file: { existingClaim: 'kept' } }
const s3 = {
  store: 's3',
  s3: {
    ...{ endpoint: 'https://s3.example.com', region: 'eu-central-1', bucket: 'runs' },
    ...{ prefix: 'kept/', pathStyle: false, credentialsSecret: { name: 'bucket-keys' } },
  },
}
/** What the keys of the Secret hold. */
const keys = {
  JANGAR_ARTIFACTS_S3_ACCESS_KEY_ID: 'key',
  JANGAR_ARTIFACTS_S3_SECRET_ACCESS_KEY: 'secret',
}

async function rendered(values: object): Promise<readonly RenderedObject[]> {
  const { objects, errors } = await render(values)
  expect(errors).toBe('')
  expect(lint(objects)).toEqual([])
  return objects
}

function variableOf(deployment: RenderedObject, name: string): unknown {
  const [container] = containersOf(deployment)
  return listAt(container, 'env').find((each) => at(each, 'name') === name)
}

/** The rules of the control plane's own Role. */
function rulesOf(objects: readonly RenderedObject[]): readonly unknown[] {
  return listAt(find(objects, 'Role', 'agents'), 'rules')
}

test('nothing of it is rendered by default', { timeout }, async () => {
  const objects = await rendered({ api, ...split })
  expect(JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))).not.toContain(
    'JANGAR_ARTIFACTS',
  )
})

test('a claim is mounted by control plane and controllers', { timeout }, async () => {
  const limits = { maxBytes: 4294967296, maxRunBytes: 8589934592, maxPerRun: 7 }
  const objects = await rendered({ api, ...split, artifacts: { ...file, limits, ttlDays: 3 } })
  const plane = find(objects, 'Deployment', 'agents')
  const workers = find(objects, 'Deployment', 'agents-controllers')
  const folder = '/var/lib/agents/artifacts'
  for (const deployment of [plane, workers]) {
    const [container] = containersOf(deployment)
    expect(listAt(container, 'volumeMounts')).toContainEqual({
      name: 'artifacts',
      mountPath: folder,
    })
    expect(listAt(at(podOf(deployment), 'spec'), 'volumes')).toContainEqual({
      name: 'artifacts',
      persistentVolumeClaim: { claimName: 'kept' },
    })
  }
  const config = parseConfig(controlPlane, variablesOf(plane), controlPlaneRules)
  expect(config.artifacts).toMatchObject({ store: 'file', folder })
  expect(config.artifactLimits).toEqual({ ...limits, ttlDays: 3 })
  const own = parseConfig(controllers, variablesOf(workers), controllersRules)
  expect(own.artifacts).toMatchObject({ store: 'file', folder })
  expect(own.artifactUploads.url?.toString()).toMatch(
    /^https:\/\/agents-api\.[a-z-]+\.svc:8443\/?$/,
  )
  // Only controllers tell pods where to upload, and only the control plane limits them.
  expect(variableOf(plane, 'JANGAR_ARTIFACTS_UPLOAD_URL')).toBeUndefined()
  expect(variableOf(workers, 'JANGAR_ARTIFACTS_MAX_BYTES')).toBeUndefined()
})

test('a bucket comes with keys from a Secret, which no run may use', { timeout }, async () => {
  const upload = { url: 'https://agents.example.com', caSecret: { name: 'authority' } }
  const objects = await rendered({ api, ...split, artifacts: { ...s3, upload } })
  const plane = find(objects, 'Deployment', 'agents')
  const workers = find(objects, 'Deployment', 'agents-controllers')
  for (const deployment of [plane, workers]) {
    expect(variableOf(deployment, 'JANGAR_ARTIFACTS_S3_SECRET_ACCESS_KEY')).toEqual({
      name: 'JANGAR_ARTIFACTS_S3_SECRET_ACCESS_KEY',
      valueFrom: { secretKeyRef: { name: 'bucket-keys', key: 'secretAccessKey' } },
    })
    expect(JSON.stringify(listAt(at(podOf(deployment), 'spec'), 'volumes'))).not.toContain('Claim')
  }
  const set = { ...variablesOf(workers), ...keys }
  const config = parseConfig(controllers, set, controllersRules)
  expect(config.artifacts).toMatchObject({
    ...{ store: 's3', region: 'eu-central-1', bucket: 'runs', keyPrefix: 'kept/' },
    pathStyle: false,
  })
  expect(config.artifacts.endpoint?.toString()).toMatch(/^https:\/\/s3\.example\.com\/?$/)
  expect(config.artifactUploads.url?.toString()).toMatch(/^https:\/\/agents\.example\.com\/?$/)
  expect(variableOf(workers, 'JANGAR_ARTIFACTS_UPLOAD_CA')).toMatchObject({
    valueFrom: { secretKeyRef: { name: 'authority', key: 'ca.crt' } },
  })
  expect(config.agents.admission.platformSecrets).toContain('bucket-keys')
})

test('the control plane gets the rights of uploads, and no others', { timeout }, async () => {
  const apart = { api, ...split }
  const before = new Set(rulesOf(await rendered(apart)).map((rule) => JSON.stringify(rule)))
  const objects = await rendered({ ...apart, artifacts: file })
  const added = rulesOf(objects).filter((rule) => !before.has(JSON.stringify(rule)))
  expect(added).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    {
      apiGroups: ['artifacts.proompteng.ai'],
      resources: ['artifacts'],
      verbs: ['get', 'create', 'list'],
    },
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get'] },
    { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs: ['get'] },
    { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns/status'], verbs: ['update'] },
    { apiGroups: ['budgets.proompteng.ai'], resources: ['budgets'], verbs: ['list'] },
  ])
  const workers = find(objects, 'Role', 'agents-controllers')
  expect(workers).toEqual(find(await rendered(apart), 'Role', 'agents-controllers'))
})

test('a control plane that runs the controllers needs less', { timeout }, async () => {
  const before = new Set(rulesOf(await rendered({ api })).map((rule) => JSON.stringify(rule)))
  const added = rulesOf(await rendered({ api, artifacts: file })).filter(
    (rule) => !before.has(JSON.stringify(rule)),
  )
  expect(added).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    {
      apiGroups: ['artifacts.proompteng.ai'],
      resources: ['artifacts'],
      verbs: ['get', 'create'],
    },
  ])
})

test('pods of runs reach the API from their namespaces', { timeout }, async () => {
  const values = { api, artifacts: file, controller: { namespaces: ['team'] } }
  const policy = find(await rendered(values), 'NetworkPolicy', 'agents')
  expect(listAt(at(policy, 'spec'), 'ingress')).toContainEqual({
    ports: [{ port: 8443 }],
    from: [
      {
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['team'] },
          ],
        },
        podSelector: {
          matchExpressions: [{ key: 'agents.proompteng.ai/attempt', operator: 'Exists' }],
        },
      },
    ],
  })
})

test.each([
  {
    because: 'pods have nowhere to upload to',
    values: { artifacts: file },
    says: 'artifacts.store is file, but api.enabled is false: pods upload to the HTTP API [V41]',
  },
  {
    because: 'there is no claim',
    values: { api, artifacts: { store: 'file' } },
    says: 'artifacts.store is file, but artifacts.file.existingClaim is empty: name a claim that control plane and controllers can mount [V41]',
  },
  {
    because: 'there are no keys',
    values: {
      api,
      artifacts: { ...s3, s3: { ...s3.s3, credentialsSecret: { name: '' } } },
    },
    says: 'artifacts.store is s3, but artifacts.s3.credentialsSecret.name is empty [V41]',
  },
  {
    because: 'the address has a password',
    values: {
      api,
      artifacts: { ...s3, s3: { ...s3.s3, endpoint: 'https://user:password@s3.example.com' } },
    },
    says: 'artifacts.s3.endpoint is not an address such as https://s3.example.com, without a user and a path [V41]',
  },
  {
    because: 'a variable contradicts the values',
    values: { api, artifacts: file, env: { vars: { JANGAR_ARTIFACTS_STORE: 's3' } } },
    says: 'env.vars.JANGAR_ARTIFACTS_STORE is set by artifacts: use its values instead [V41]',
  },
  {
    because: 'a variable enables the store that the values leave off',
    values: { env: { vars: { JANGAR_ARTIFACTS_STORE: 'file' } } },
    says: 'env.vars.JANGAR_ARTIFACTS_STORE is set by artifacts: use its values instead [V41]',
  },
])('refused: $because', { timeout }, async ({ values, says }) => {
  const { errors } = await render(values)
  expect(problemsIn(errors)).toContain(says)
})
