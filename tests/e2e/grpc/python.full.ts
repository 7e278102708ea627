import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceAccountKind } from '@agents/kube'
import { expect, onTestFinished, test } from 'vitest'
import { createKeyMaterial } from '../../../packages/apiserver/src/auth/pki/key-material.ts'
import { callFromPython } from '../../support/grpc/python-client.ts'
import { startService } from '../../support/processes/service-process.ts'
import {
  namespace,
  type RunPlatform,
  startRunPlatform,
} from '../../support/run-platform/run-platform.ts'
import { freePort } from '../../support/testbed/free-port.ts'

test('a client in Python lists, starts, waits for and cancels runs, with a token only', async () => {
  const platform = await startRunPlatform('embedded')
  onTestFinished(() => platform.stop())
  await platform.startControllers()
  await platform.startNode()
  const { address, ca } = await startPlane(platform)
  const token = await operatorToken(platform)
  const call = async (method: string, request: object) => {
    const { code, message, answer } = await callFromPython({ address, ca, token, method, request })
    expect([code, message]).toEqual(['OK', undefined])
    return JSON.parse(answer?.json ?? '')
  }
  const submit = (name: string, script: string) =>
    call('SubmitRun', { namespace, name, specJson: JSON.stringify(specOf(script)) })

  expect(await call('ListRuns', { namespace })).toEqual({ items: [] })
  await submit('short', 'true')
  expect(await call('WaitForRun', { namespace, name: 'short', timeoutSeconds: 60 })).toMatchObject({
    finished: true,
    run: { phase: 'Succeeded' },
  })
  await submit('long', 'sleep 600')
  expect(await call('WaitForRun', { namespace, name: 'long', timeoutSeconds: 1 })).toMatchObject({
    finished: false,
  })
  await call('CancelRun', { namespace, name: 'long' })
  expect(await call('WaitForRun', { namespace, name: 'long', timeoutSeconds: 60 })).toMatchObject({
    finished: true,
    run: { phase: 'Cancelled' },
  })
  const { items } = await call('ListRuns', { namespace })
  expect(items.map(({ name }: { name: string }) => name).toSorted()).toEqual(['long', 'short'])

  const run = { namespace, name: 'long' }
  const requests = {
    ListRuns: { namespace },
    SubmitRun: { ...run, name: 'refused', specJson: JSON.stringify(specOf('true')) },
    WaitForRun: run,
    CancelRun: run,
  }
  for (const wrong of [{}, { token: 'guess' }]) {
    for (const [method, request] of Object.entries(requests)) {
      const refused = await callFromPython({ address, ca, ...wrong, method, request })
      expect([method, refused.code]).toEqual([method, 'UNAUTHENTICATED'])
    }
  }
  expect((await call('ListRuns', { namespace })).items).toHaveLength(2)
})

function specOf(script: string): object {
  return {
    ...{ agentRef: { name: 'shell' }, runtime: { type: 'job' }, parameters: { script } },
    implementation: { inline: { text: 'Run a script.' } },
  }
}

/** A control plane that serves gRPC with a certificate of its own. */
async function startPlane({ stateDir, kubeconfigPath }: RunPlatform) {
  const { caCertificate, servingCertificate, servingKey } = createKeyMaterial(new Date())
  const file = async (name: string, content: string): Promise<string> => {
    const path = join(stateDir, name)
    await writeFile(path, content, { mode: 0o600 })
    return path
  }
  const plane = startService('services/jangar/src/main/control-plane.ts', {
    KUBECONFIG: kubeconfigPath,
    JANGAR_AGENTS_CONTROLLER_ENABLED: 'false',
    JANGAR_ORCHESTRATION_CONTROLLER_ENABLED: 'false',
    JANGAR_SUPPORTING_CONTROLLER_ENABLED: 'false',
    JANGAR_POD_NAMESPACE: namespace,
    JANGAR_API_ENABLED: 'true',
    JANGAR_API_PORT: String(await freePort()),
    JANGAR_API_TLS_CERT_FILE: await file('plane.crt', servingCertificate),
    JANGAR_API_TLS_KEY_FILE: await file('plane.key', servingKey),
    JANGAR_GRPC_TLS: 'true',
  })
  await expect.poll(() => plane.probe('/readyz'), { timeout: 60_000, interval: 200 }).toBe(200)
  return {
    address: `127.0.0.1:${await plane.grpcPort}`,
    ca: await file('plane-ca.crt', caCertificate),
  }
}

/** Of somebody who may do with runs what the calls do, and nothing else. */
async function operatorToken({ client }: RunPlatform): Promise<string> {
  const metadata = { name: 'operator', namespace }
  await client.create(ServiceAccountKind, { metadata })
  const post = (path: string, body: object) => client.request({ method: 'POST', path, body })
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const verbs = ['get', 'list', 'create', 'update', 'patch']
  const rules = [{ apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs }]
  await post(`${rbac}/roles`, { metadata, rules })
  await post(`${rbac}/rolebindings`, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  })
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts/operator`
  const { bytes } = await post(`${accounts}/token`, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })
  return JSON.parse(bytes.toString('utf8')).status.token
}
